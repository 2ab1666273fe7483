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

test("what takes longer than the limit is refused, and the next one is read by a new thread", async () => {
  const threads = parsers({ mostMs: 1500, atOnce: 1 });
  await threads.parse("warm");
  expect(await refusal(threads.parse("![[]]()".repeat(37_449).repeat(4)))).toBe("document_too_complex");
  expect((await threads.parse("*a*")).markdown).toBe("*a*");
  await threads.stop();
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
