// What a provider may do: stream, ask for tools, refuse, fall silent, break off, and have no time. The key goes to its
// origin and is nowhere else.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Reply, type ScriptedModel, scriptedModel } from "../../../test/scripted-model.ts";
import { egressTo } from "./egress.ts";
import type { ModelMessage, ModelRequest } from "./external-systems.ts";
import { ModelError, openModel } from "./model.ts";

let provider: ScriptedModel;
beforeAll(async () => {
  provider = await scriptedModel();
});
afterAll(() => provider.close());
beforeEach(() => provider.clear());

const find = {
  name: "find",
  description: "Find.",
  input: { type: "object", properties: { query: { type: "string" } } },
};
const questions: ModelMessage[] = [{ role: "user", text: "Where are the gears?" }];
function opened(kind: "openai" | "anthropic" = "openai", silenceMs?: number) {
  const model = openModel(provider.model(kind), egressTo({ allow: [provider.origin] }), silenceMs);
  const heard: string[] = [];
  const ask = (more: Partial<ModelRequest> = {}) =>
    model.ask({
      instructions: "Be brief.",
      said: questions,
      tools: [find],
      most: 500,
      signal: new AbortController().signal,
      heard: (text) => heard.push(text),
      ...more,
    });
  return { ask, heard };
}
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (error) => (error instanceof ModelError ? error.fault : Promise.reject(error)),
  );

describe.each(["openai", "anthropic"] as const)("a provider that speaks as %s", (kind) => {
  test("streams text, asks for tools, and says what it used", async () => {
    const { ask, heard } = opened(kind);
    provider.say({ text: ["In ", "the ", "box."], calls: [{ name: "find", args: { query: "gears" } }] });
    const answered = await ask();
    expect(answered).toEqual({
      text: "In the box.",
      end: "calls",
      usage: { input: 21, output: 7 },
      calls: [{ id: "call_0", name: "find", input: { query: "gears" } }],
    });
    expect(heard.join("")).toBe("In the box.");
    const [call] = answered.calls;
    provider.say({ text: ["Found."] });
    const said: ModelMessage[] = [
      ...questions,
      { role: "assistant", text: answered.text, calls: answered.calls },
      { role: "tool", call: call as never, result: "Three gears.", refused: false },
    ];
    expect(await ask({ said })).toMatchObject({ text: "Found.", end: "done", calls: [] });
    const sent = JSON.stringify(provider.asked.at(-1)?.body);
    for (const part of ["Be brief.", "Where are the gears?", "Three gears.", "call_0"]) expect(sent).toContain(part);
    expect(provider.asked.every(({ body }) => body.max_tokens === 500 && body.stream === true)).toBe(true);
  });

  test("is sent the key, and no answer, error or prompt holds it", async () => {
    const { ask } = opened(kind);
    provider.say({ text: ["Yes."] }, { status: 400 });
    const answered = await ask();
    const refused = await ask().catch((error) => error);
    for (const { headers, body } of provider.asked) {
      expect(kind === "openai" ? headers.authorization : headers["x-api-key"]).toContain("canary-model-key");
      expect(JSON.stringify(body)).not.toContain("canary-model-key");
    }
    expect(refused).toBeInstanceOf(ModelError);
    expect([refused.fault, refused.status, refused.cause]).toEqual(["rejected", 400, undefined]);
    const shown = JSON.stringify([answered, { ...refused }, refused.message, refused.stack]);
    for (const secret of ["canary-model-key", "Where are the gears"]) expect(shown).not.toContain(secret);
  });

  test("may not want to, and may be cut at the most that it is given", async () => {
    const { ask } = opened(kind);
    provider.say({ text: ["No."], after: "refusal" }, { text: ["Once upon"], after: "length" });
    expect((await ask()).end).toBe("refused");
    expect(await ask()).toMatchObject({ text: "Once upon", end: "length" });
  });

  test("that breaks off is told from one that has ended", async () => {
    const { ask, heard } = opened(kind);
    provider.say({ text: ["Half a "], after: "cut" });
    expect(await faultOf(ask())).toBe("cut");
    expect(heard).toEqual(["Half a "]);
  });

  test("a call that is no call is told, and none is made up", async () => {
    const { ask } = opened(kind);
    provider.say({
      calls: [
        { name: "find", json: '{"query": ' },
        { name: "erase_everything", args: {} },
      ],
    });
    const { calls, end } = await ask();
    expect(end).toBe("calls");
    expect(calls.map(({ name, fault }) => [name, typeof fault])).toEqual([
      ["find", "string"],
      ["erase_everything", "string"],
    ]);
  });
});

describe("a provider", () => {
  test("that has too much to do is asked again when it says, and given up after the third time", async () => {
    const { ask } = opened();
    const busy: Reply = { status: 429, headers: { "retry-after-ms": "5" } };
    provider.say(busy, busy, { text: ["Now."] });
    expect((await ask()).text).toBe("Now.");
    expect(provider.asked).toHaveLength(3);
    provider.say(busy, busy, busy);
    expect(await faultOf(ask())).toBe("rate_limited");
    expect(provider.asked).toHaveLength(6);
  });

  test("that falls silent is left, before its first word and after it", async () => {
    const { ask } = opened("openai", 200);
    provider.say({ text: ["I think"], after: "silence" });
    expect(await faultOf(ask())).toBe("silent");
    provider.say({ before: new Promise(() => {}) });
    expect(await faultOf(ask())).toBe("silent");
    await expect.poll(() => provider.asked.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  test("that sends 40 MB is cut off after 4 MiB, with a fault of its own", async () => {
    const { ask, heard } = opened();
    provider.say({ text: Array.from({ length: 40 }, () => "x".repeat(1_000_000)) });
    expect(await faultOf(ask())).toBe("too_large");
    expect(heard.join("").length).toBeLessThan(5_000_000);
    expect(provider.asked).toHaveLength(1);
  });

  test("is left at once when nobody wants its answer any more", async () => {
    const { ask } = opened();
    const stop = new AbortController();
    provider.say({ text: ["I ", "think"], after: "silence" });
    const asking = ask({ signal: stop.signal, heard: () => stop.abort(new Error("stopped")) });
    await expect(asking).rejects.toThrow("stopped");
    await expect.poll(() => provider.asked[0]?.aborted).toBe(true);
  });

  test("at an address that is not public is reached only where the operator has named it", async () => {
    const model = openModel(provider.model(), egressTo());
    const ask = { instructions: "", said: questions, tools: [], most: 10, heard: () => {} };
    expect(await faultOf(model.ask({ ...ask, signal: new AbortController().signal }))).toBe("unavailable");
    expect(provider.asked).toEqual([]);
  });
});
