// The longest contents that a Document may have are read, whatever they consist of; parsing.test.ts has the rules of
// the threads.
import { afterAll, expect, test } from "vitest";
import { eventLoopLoad, prose, refusal } from "../../../../test/contents.ts";
import { parsers } from "./parsing.ts";

const LONGEST = 262_144;
/** Longer than any test here: on a busy machine the service's own limit of a minute would decide. */
const { parse, parseAll, render, renderAll, stop } = parsers({ mostMs: 600_000 });
afterAll(stop);

test("262,144 characters are read while the event loop goes on, in both forms", async () => {
  await parse("warm");
  const load = eventLoopLoad();
  const { markdown, content } = await parse(prose(LONGEST));
  const again = await render(content);
  expect(load()).toBeLessThan(0.5);
  expect(again.markdown).toBe(markdown);
});

test("131,072 signs that are written with a backslash are refused", async () => {
  expect(await refusal(parse("<a".repeat(131_072)))).toBe("document_too_large");
});

test("65,536 list items are accepted", async () => {
  const markdown = "- a\n".repeat(65_536);
  expect((await parse(markdown)).markdown).toBe(markdown.trimEnd());
});

// The library's own rule takes minutes.
test("quotes that no line continues are accepted up to 262,144 characters", async () => {
  const once = "> # a\n\nb\n\n".length;
  const { size } = await parse("> # a\nb\n".repeat(Math.floor(LONGEST / once)));
  expect(size).toBeGreaterThan(LONGEST - 2 * once);
});

test("87,381 delimiters are refused when they are written, and read when they are stored", async () => {
  const strikes = "~~a".repeat(87_381);
  expect(await refusal(parse(strikes))).toBe("document_too_complex");
  const { content } = await parseAll(strikes);
  expect(await refusal(render(content))).toBe("document_too_complex");
  expect((await renderAll(content)).content).toBe(content);
});
