// Whether a Workspace's name could pass for a link or an address in the letter that invites.
import { expect, test } from "vitest";
import { invitationLetter } from "./invitation-letter.ts";

const textFor = (workspaceName: string) =>
  invitationLetter({ origin: "https://svc.example.com", to: "a@example.com", token: "t", workspaceName, inviter: null })
    .text;

test("a name that could pass for a link or an address is left out, however its signs are written", () => {
  for (const name of [
    ...["Win at https://evil.example", "evil.example", "write to a@b", "hxxps: evil", "пример.рф", "例え.jp"],
    // Other dots: full-width, ideographic, half-width, one dot leader, small; other slashes and at signs; something
    // hidden between.
    ...["evil．example", "evil。example", "evil｡example", "evil․example", "evil﹒example", "ｅｖｉｌ．ｅｘａｍｐｌｅ"],
    ...["evil⁄example", "evil∕example", "evil／example", "a＠b", "a﹫b", "evil\u200b.example"],
  ])
    expect(textFor(name), name).toContain("Somebody invites you to a Workspace.");
});

test("any other name stands in it, kept apart from the words around", () => {
  for (const name of ["Analytical Engines, Inc.", "No. 7", "第一。 第二", "שלום"])
    expect(textFor(name)).toContain(`the Workspace "\u2068${name}\u2069".`);
});
