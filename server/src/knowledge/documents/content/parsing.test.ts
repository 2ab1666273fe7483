// Contents are read in threads: the event loop answers others meanwhile, a thread that hangs is replaced, and
// Workspaces share the threads. The longest contents are in parsing.slow.test.ts.
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, test, vi } from "vitest";
import { eventLoopLoad, prose, refusal } from "../../../../test/contents.ts";
import { eventually } from "../../../../test/eventually.ts";
import { mean, parse, parseAll, parsers, patch, render, renderAll } from "./parsing.ts";

/** Above the size up to which a content is small. */
const LARGE = 20_000;

describe("threads", () => {
  test("read a large content while the event loop goes on, in both forms", async () => {
    await parse("warm");
    const load = eventLoopLoad();
    const { markdown, content } = await parse(prose(LARGE));
    const again = await render(content);
    expect(load()).toBeLessThan(0.5);
    expect(again.markdown).toBe(markdown);
  });

  test("refuse what is no content, with a pointer into the body", async () => {
    const refused = await render('{"type":"doc","content":[{"type":"iframe"}]}').catch((error) => error);
    expect(refused).toMatchObject({
      code: "invalid_request",
      extra: { errors: [{ pointer: "/body/content/content/0/type", code: "invalid_content" }] },
    });
    expect(await refusal(parse(`${">".repeat(200)} a`))).toBe("invalid_request");
  });

  test("refuse what is too long once it is written in its one spelling", async () => {
    expect((await parse("a".repeat(262_144))).markdown).toHaveLength(262_144);
    // Each sign is written with a backslash.
    expect(await refusal(parse(`a${"*".repeat(131_073)}`))).toBe("document_too_large");
  });
});

describe("limits of the input decide, never the time that it takes", () => {
  test("a thread that does not respond is replaced, and its caller is asked to retry", async () => {
    const threads = parsers({ mostMs: 1, atOnce: 1 });
    expect(await refusal(threads.parse(prose(262_144)))).toBe("overloaded");
    await threads.stop();
  });

  test("many list items are accepted", async () => {
    const markdown = "- a\n".repeat(2048);
    expect((await parse(markdown)).markdown).toBe(markdown.trimEnd());
  });

  test("quotes that no line continues are accepted", async () => {
    const most = 4096;
    const once = "> # a\n\nb\n\n".length;
    const { size } = await parse("> # a\nb\n".repeat(Math.floor(most / once)));
    expect(size).toBeGreaterThan(most - 2 * once);
  });

  test("a content past a limit is refused with a pointer when it is written, and read when it is stored", async () => {
    const links = `[a](${"b".repeat(4096)}) `.repeat(257);
    expect(await parse(links).catch((error) => error)).toMatchObject({
      code: "document_too_complex",
      extra: { errors: [{ pointer: "/body/markdown", code: "document_too_complex" }] },
    });
    const { content } = await parseAll(links);
    expect(await refusal(render(content))).toBe("document_too_complex");
    expect((await renderAll(content)).content).toBe(content);
  });

  test("edits that insert more than a Document may hold are refused", async () => {
    const base = '{"type":"doc","content":[{"type":"paragraph"}]}';
    const edits = Array.from({ length: 3 }, () => ({
      action: "insert_after" as const,
      block: 0,
      markdown: "a ".repeat(131_072),
    }));
    expect(await refusal(patch(base, null, edits))).toBe("document_too_large");
  });
});

describe("threads are shared by Workspace", () => {
  afterEach(() => void vi.restoreAllMocks());
  /** Threads that are given this content are busy with it until the test releases them, in their order. */
  function holdThreads(content: string) {
    const held: (() => void)[] = [];
    const { postMessage } = Worker.prototype;
    vi.spyOn(Worker.prototype, "postMessage").mockImplementation(function (this: Worker, message) {
      const begin = () => postMessage.call(this, message);
      if (message.values[0] === content) held.push(begin);
      else begin();
    });
    return held;
  }

  test("a small content never waits for a large one, and a large one only for that which runs", async () => {
    const threads = parsers({ atOnce: 1 });
    const large = prose(LARGE);
    await Promise.all([threads.parse("warm"), threads.parse(prose(LARGE + 1))]);
    const held = holdThreads(large);
    let done = 0;
    const crowd = Array.from({ length: 4 }, () => threads.parse(large, "crowd").then(() => done++));
    await threads.parse("*small*", "other");
    expect([held.length, done]).toEqual([1, 0]);
    let before: number | undefined;
    const other = threads.parse(`${large}.`, "other").then(() => {
      before = done;
    });
    await eventually(() => {
      held.shift()?.();
      expect(before).toBeDefined();
    });
    await other;
    expect(before).toBeLessThanOrEqual(2);
    await eventually(() => {
      held.shift()?.();
      expect(done).toBe(4);
    });
    await Promise.all(crowd);
    await threads.stop();
  });

  test("a small content does not wait for the slow small ones of another Workspace", async () => {
    const threads = parsers();
    const slow = "> # a\nb\n".repeat(64);
    await Promise.all([threads.parse("warm", "crowd"), threads.parse("warm", "other")]);
    const held = holdThreads(slow);
    const crowd = Array.from({ length: 4 }, () => threads.parse(slow, "crowd"));
    await threads.parse("*small*", "other");
    expect(held).toHaveLength(1);
    let done = 0;
    for (const each of crowd) void each.then(() => done++);
    await eventually(() => {
      held.shift()?.();
      expect(done).toBe(4);
    });
    await threads.stop();
  });
});

test("a line has a most, past which callers are asked to retry", async () => {
  const threads = parsers({ mostWaiting: 2, atOnce: 1 });
  const waiting = Array.from({ length: 8 }, () => refusal(threads.parse("a")));
  expect((await Promise.all(waiting)).filter((code) => code === "overloaded").length).toBeGreaterThan(0);
  expect((await threads.parse("b")).markdown).toBe("b");
  await threads.stop();
});

test("references become what they mean, or text", async () => {
  const { content, references } = await parse("[ENG-1](svc:task/ENG-1) [ENG-2](svc:task/ENG-2) [x](svc:person/anna)");
  expect(references).toHaveLength(3);
  const id = "0190b6a0-0000-7000-8000-000000000001";
  expect((await mean(content, { "task/ENG-1": id, "task/ENG-2": null })).markdown).toBe(
    `[ENG-1](svc:task/${id}) ENG-2 [x](svc:person/anna)`,
  );
});
