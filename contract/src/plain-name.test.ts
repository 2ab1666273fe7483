// What a name may be made of, in many scripts: what nobody sees is refused, and what writing needs is not.
import { describe, expect, test } from "vitest";
import { isPlain, isVisible, plainName } from "./plain-name.ts";

const written = {
  "Latin with accents": "Zoë Núñez",
  Hebrew: "עדה לאבלייס",
  "Persian with its non-joiner": "می\u200cخواهم",
  "Devanagari with a joiner": "क\u094d\u200dष",
  "Sinhala with a joiner": "ශ\u0dca\u200dරී",
  "a Japanese name with its variant": "葛\u{e0100}城",
  "an emoji of several": "\u{1f469}\u{1f3fd}\u200d\u{1f680}",
  "a coloured heart": "\u2764\ufe0f",
  "a rainbow flag": "\u{1f3f3}\ufe0f\u200d\u{1f308}",
  "a key": "1\ufe0f\u20e3",
  "the flag of England": "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
};
const hidden: Record<string, string> = {
  "zero-width space": "\u200b",
  "non-joiner between Latin letters": "\u200c",
  "joiner between Latin letters": "\u200d",
  "left-to-right mark": "\u200e",
  "right-to-left mark": "\u200f",
  "Arabic letter mark": "\u061c",
  embedding: "\u202a",
  override: "\u202e",
  "pop of a direction": "\u202c",
  isolate: "\u2066",
  "pop of an isolate": "\u2069",
  "word joiner": "\u2060",
  "byte order mark": "\ufeff",
  "soft hyphen": "\u00ad",
  "combining joiner": "\u034f",
  "Hangul filler": "\u3164",
  "variation selector after a letter": "\ufe0f",
  tag: "\u{e0061}",
  "empty Braille": "\u2800",
  annotation: "\ufff9",
  "separator of lines": "\u2028",
  "separator of paragraphs": "\u2029",
  bell: "\u0007",
  "C1 control": "\u009b",
};

describe("a name may be", () => {
  test.each(Object.entries(written))("%s", (_what, name) => {
    expect([isPlain(name), isVisible(name), plainName(name)]).toEqual([true, true, name]);
  });
});

describe("in a name is refused, and taken out where it cannot be", () => {
  test.each(Object.entries(hidden))("%s", (_what, sign) => {
    expect(isPlain(`Ada${sign}Byron`)).toBe(false);
    expect(plainName(`Ada${sign}Byron`).replace(" ", "")).toBe("AdaByron");
    expect([isVisible(sign) && isPlain(sign), plainName(` ${sign} `)]).toEqual([false, ""]);
  });
  test("half of a pair of surrogates", () => {
    expect(isPlain("a\ud800")).toBe(false);
    expect(plainName("a\ud800").isWellFormed()).toBe(true);
  });
});

test("what is left of a name is one line without space around it", () => {
  expect(plainName(" \tAda\n  Byron\u200b ")).toBe("Ada Byron");
});
