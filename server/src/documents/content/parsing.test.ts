// Contents are read in threads: whoever else asks is answered meanwhile, what takes too long is refused, and a thread that hangs is replaced.
import { afterAll, describe, expect, test } from "vitest";
import { Refusal } from "../../wire/problem.ts";
import { parsers } from "./parsing.ts";

const paragraph =
  "Some *emph* and **bold**, `code`, words that go on; snake_case and (so on).\n\n- item one\n- item two\n\n";
const longest = paragraph.repeat(Math.ceil(262_144 / paragraph.length)).slice(0, 262_144);
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "it was not refused",
    (error) => (error instanceof Refusal ? error.code : error),
  );

describe("threads", () => {
  const threads = parsers({ mostMs: 60_000 });
  afterAll(() => threads.stop());

  test("read 262,144 characters while the event loop goes on, in both forms", async () => {
    await threads.parse("warm");
    let turns = 0;
    let reading = true;
    const turn = () => {
      turns++;
      if (reading) setImmediate(turn);
    };
    turn();
    const { markdown, content } = await threads.parse(longest);
    const again = await threads.render(content);
    reading = false;
    expect(again.markdown).toBe(markdown);
    expect(turns).toBeGreaterThan(1000);
  });

  test("refuse what is no content, with a pointer into the body", async () => {
    const refused = await threads.render('{"type":"doc","content":[{"type":"iframe"}]}').catch((error) => error);
    expect(refused).toMatchObject({
      code: "invalid_request",
      extra: { errors: [{ pointer: "/body/content/content/0/type", code: "invalid_content" }] },
    });
    expect(await refusal(threads.parse(`${">".repeat(200)} a`))).toBe("invalid_request");
  });

  test("refuse what is too long once it is written in its one spelling", async () => {
    expect((await threads.parse("a".repeat(262_144))).markdown).toHaveLength(262_144);
    expect(await refusal(threads.parse("<a".repeat(131_072)))).toBe("document_too_large");
  });
});

describe("limits of the input decide, never the time that it takes", () => {
  test("a thread that does not respond is replaced, and its caller is told to come again", async () => {
    const threads = parsers({ mostMs: 1, atOnce: 1 });
    expect(await refusal(threads.parse(longest))).toBe("overloaded");
    await threads.stop();
  });

  const threads = parsers();
  afterAll(() => threads.stop());

  test("65,536 list items are accepted", async () => {
    const markdown = "- a\n".repeat(65_536);
    expect((await threads.parse(markdown)).markdown).toBe(markdown.trimEnd());
  });

  // The library's own rule takes two seconds for the first and minutes for the second.
  test.each([16_384, 262_144])("quotes that no line continues are accepted up to %i characters", async (most) => {
    const once = "> # a\n\nb\n\n".length;
    const { size } = await threads.parse("> # a\nb\n".repeat(Math.floor(most / once)));
    expect(size).toBeGreaterThan(most - 2 * once);
  });

  test("a content past a limit is refused with a pointer when it is written, and read when it is stored", async () => {
    const strikes = "~~a".repeat(87_381);
    expect(await threads.parse(strikes).catch((error) => error)).toMatchObject({
      code: "document_too_complex",
      extra: { errors: [{ pointer: "/body/markdown", code: "document_too_complex" }] },
    });
    const { content } = await threads.parseAll(strikes);
    expect(await refusal(threads.render(content))).toBe("document_too_complex");
    expect((await threads.renderAll(content)).content).toBe(content);
  });

  test("edits that insert more than a Document may hold are refused", async () => {
    const base = '{"type":"doc","content":[{"type":"paragraph"}]}';
    const edits = Array.from({ length: 3 }, () => ({
      action: "insert_after" as const,
      block: 0,
      markdown: "a ".repeat(131_072),
    }));
    expect(await refusal(threads.patch(base, null, edits))).toBe("document_too_large");
  });
});

describe("threads are shared by Workspace", () => {
  test("a small content never waits for a large one, and a large one only for that which runs", async () => {
    const threads = parsers({ atOnce: 1 });
    const large = longest.slice(0, 65_536);
    await Promise.all([threads.parse("warm"), threads.parse(large)]);
    let done = 0;
    const crowd = Array.from({ length: 8 }, () => threads.parse(large, "crowd").then(() => done++));
    await threads.parse("*small*", "other");
    expect(done).toBe(0);
    await threads.parse(large, "other");
    expect(done).toBeLessThanOrEqual(2);
    await Promise.all(crowd);
    await threads.stop();
  });

  test("a small content does not wait for the slow small ones of another Workspace", async () => {
    const threads = parsers();
    const slow = "> # a\nb\n".repeat(2048);
    await Promise.all([threads.parse("warm", "crowd"), threads.parse("warm", "other")]);
    let done = 0;
    const crowd = Array.from({ length: 8 }, () => threads.parse(slow, "crowd").then(() => done++));
    await threads.parse("*small*", "other");
    expect(done).toBe(0);
    await Promise.all(crowd);
    await threads.stop();
  });
});

test("only so many wait; others are told to come again", async () => {
  const threads = parsers({ mostWaiting: 2, atOnce: 1 });
  const waiting = Array.from({ length: 8 }, () => refusal(threads.parse("a")));
  expect((await Promise.all(waiting)).filter((code) => code === "overloaded").length).toBeGreaterThan(0);
  expect((await threads.parse("b")).markdown).toBe("b");
  await threads.stop();
});

test("references become what they mean, or text", async () => {
  const threads = parsers();
  const { content, references } = await threads.parse(
    "[ENG-1](svc:task/ENG-1) [ENG-2](svc:task/ENG-2) [x](svc:person/anna)",
  );
  expect(references).toHaveLength(3);
  const id = "0190b6a0-0000-7000-8000-000000000001";
  expect((await threads.mean(content, { "task/ENG-1": id, "task/ENG-2": null })).markdown).toBe(
    `[ENG-1](svc:task/${id}) ENG-2 [x](svc:person/anna)`,
  );
  await threads.stop();
});
