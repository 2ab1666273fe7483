// Who is mentioned in a text: a table.
import { expect, test } from "vitest";
import { MOST_MENTIONED, MOST_NAMED, mentionsIn, namesIn } from "./rules.ts";

const table: [markdown: string, ...names: string[]][] = [
  ["@ada", "ada"],
  ["Hello @ada, and @Grace-Hopper.", "ada", "grace-hopper"],
  ["@ada @ADA @ada", "ada"],
  ['(@ada) [@bob] **@cyd** _@dan_ > @eve\n- @fay\n"@gil"', "ada", "bob", "cyd", "dan", "eve", "fay", "gil"],
  ["@ada's, @bob: @cyd; @dan! @eve? @fay-", "ada", "bob", "cyd", "dan", "eve", "fay"],
  ["ada@example.com, me.@ada, a+@ada, mailto:ada@example.com"],
  ["@example.com and @ada_b and @adaß and @ada@bob and @@ada"],
  ["word@ada 1@ada ß@ada a_@ada https://example.com/@ada"],
  ["@ @- @_ email@ "],
  ["`@ada` and ``x ` @bob`` and @cyd", "cyd"],
  ["`@ada and @bob", "ada", "bob"],
  ["`` @ada ` @bob", "ada", "bob"],
  ["a `b\n@ada` c"],
  ["a `b\n\n@ada` c", "ada"],
  ["\\`@ada\\`", "ada"],
  ["```\n@ada\n```\n@bob", "bob"],
  ["```ts\n@ada\n~~~\n@bob\n```\n@cyd", "cyd"],
  ["~~~~\n@ada\n~~~\n@bob\n~~~~~\n@cyd", "cyd"],
  ["   ```\n@ada\n   ```\n@bob", "bob"],
  ["```\n@ada\n``` not closed\n@bob"],
  ["``` a`b\n@ada", "ada"],
  ["\r\n@ada\r\n", "ada"],
  ["日本 @ada 日本", "ada"],
  ["ユーザー@adaさん、请看@bob吧。확인 @cyd님 ถึง@danครับ", "ada", "bob", "cyd", "dan"],
  ["メールada@example.com привет@ada @adaй"],
  ["npm i @types/node @ada/, @bob/@cyd", "ada", "bob"],
  [`@${"a".repeat(64)} @${"b".repeat(65)}`, "a".repeat(64)],
];
for (const [markdown, ...names] of table)
  test(`${JSON.stringify(markdown.slice(0, 60))} mentions ${names.join(", ").slice(0, 60) || "nobody"}`, () => {
    expect(mentionsIn(markdown)).toEqual(names);
  });

test(`of one text ${MOST_MENTIONED} are mentioned, and a text that is hard to read takes no longer than its length`, () => {
  const all = Array.from({ length: 60 }, (_, n) => `@p${n}`).join(" ");
  expect(mentionsIn(all)).toHaveLength(MOST_MENTIONED);
  for (const hard of ["`", "`` ` ", "@a-", "@", "~~~\n", "```\n", "\\`", "@a`"]) {
    const text = `${hard.repeat(65_536 / hard.length)}@`;
    expect(Array.isArray(mentionsIn(text))).toBe(true);
  }
});

test(`of one text ${MOST_NAMED} mentions are looked at, however it is divided, and a repeated name takes no longer`, () => {
  const one = (times: number) => "@ada ".repeat(times);
  expect(mentionsIn(`${one(MOST_NAMED - 1)}@bob`)).toEqual(["ada", "bob"]);
  expect(mentionsIn(`${one(MOST_NAMED)}@bob`)).toEqual(["ada"]);
  expect(namesIn([one(MOST_NAMED / 2), one(MOST_NAMED / 2 - 1), "@bob"], 500)).toEqual(["ada", "bob"]);
  expect(namesIn([one(MOST_NAMED / 2), one(MOST_NAMED / 2), "@bob"], 500)).toEqual(["ada"]);
});
