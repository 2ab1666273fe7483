// Pieces of text are joined, and nothing else of a stream changes: what it says stays the same, in its order, however
// it is cut into pieces.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { joined } from "./joined-stream.ts";

const openai = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
const anthropic = (index: number, text: string) =>
  `event: content_block_delta\ndata: ` +
  `${JSON.stringify({ type: "content_block_delta", index, delta: { type: "text_delta", text } })}\n\n`;

async function* sent(pieces: readonly (string | Buffer)[], pauseMs = 0) {
  for (const piece of pieces) {
    yield Buffer.from(piece as string);
    // Wait: by the clock of the test.
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
async function read(body: AsyncIterable<Buffer>) {
  const pieces: string[] = [];
  for await (const piece of joined(body)) pieces.push(piece.toString());
  return pieces;
}
const eventsOf = (pieces: readonly string[]) => pieces.join("").split("\n\n").slice(0, -1);

describe("text that is streamed", () => {
  test.each([
    ["openai", (text: string) => openai({ content: text })],
    ["anthropic", (text: string) => anthropic(0, text)],
  ])("as %s: the first piece at once, and what follows together", async (_name, event) => {
    const words = Array.from({ length: 40 }, (_, at) => `wörd ${at} `);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const reading = read(sent(words.map(event), 5));
    await vi.advanceTimersByTimeAsync(1000);
    const texts = eventsOf(await reading).map((each) => {
      const value = JSON.parse(each.slice(each.indexOf("data: ") + "data: ".length));
      return (value.choices?.[0].delta.content ?? value.delta.text) as string;
    });
    expect(texts[0]).toBe(words[0]);
    expect(texts.join("")).toBe(words.join(""));
    // The pieces come at once, after 150 ms, and at the end after 200 ms.
    expect(texts).toHaveLength(3);
  });

  test("is passed on while nothing follows", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* waiting() {
      yield Buffer.from(openai({ content: "one " }));
      yield Buffer.from(openai({ content: "two" }));
      await promise;
    }
    const seen: string[] = [];
    for await (const piece of joined(waiting())) {
      seen.push(piece.toString());
      if (seen.join("").includes("two")) resolve();
    }
    expect(seen).toHaveLength(2);
  });

  test("keeps its order with calls of tools, usage, other parts and the end", async () => {
    const stream = [
      openai({ role: "assistant", content: "" }),
      openai({ content: "a" }),
      openai({ content: "b" }),
      openai({ content: "c" }),
      openai({ tool_calls: [{ index: 0, id: "x" }] }),
      openai({ content: "d", reasoning: "no" }),
      anthropic(0, "e"),
      anthropic(0, "f"),
      anthropic(1, "g"),
      openai({ content: "h" }, { usage: { total_tokens: 1 } }),
      ": a comment\n\n",
      "data: [DONE]\n\n",
    ];
    const whole = Buffer.from(stream.join(""));
    // In one piece, and byte by byte, also within a letter.
    for (const size of [whole.length, 1, 7]) {
      const cut = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.subarray(at * size, (at + 1) * size),
      );
      const events = eventsOf(await read(sent(cut)));
      const plain = events.join("").replace(/"content":"([^"]*)"|"text":"([^"]*)"/g, "<$1$2>");
      expect(
        plain
          .match(/<[^>]*>/g)
          ?.join("")
          .replace(/[<>]/g, ""),
      ).toBe("abcdefgh");
      const kinds = events
        .map((event) => /tool_calls|reasoning|usage|comment|DONE|"index":1/.exec(event)?.[0])
        .filter(Boolean);
      expect(kinds).toEqual(["tool_calls", "reasoning", '"index":1', "usage", "comment", "DONE"]);
    }
  });

  test("was said although the stream broke off behind it", async () => {
    async function* broken() {
      yield Buffer.from(openai({ content: "one " }));
      yield Buffer.from(openai({ content: "two" }));
      throw new Error("cut");
    }
    const seen: string[] = [];
    const reading = (async () => {
      for await (const piece of joined(broken())) seen.push(piece.toString());
    })();
    await expect(reading).rejects.toThrow("cut");
    expect(seen.join("")).toContain("two");
  });
});
