// What a file can be by its first bytes.
import { expect, test } from "vitest";
import { picture } from "../../../test/pictures.ts";
import { canBe } from "./signatures.ts";

const box = (brand: string, ...others: string[]) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(16 + 4 * others.length);
  return Buffer.concat([length, Buffer.from(`ftyp${brand}\0\0\0\0${others.join("")}`, "latin1")]);
};

test("the four formats that are shown are told apart", async () => {
  const formats = ["jpeg", "png", "webp", "gif"] as const;
  for (const format of formats) {
    const bytes = await picture(format);
    const fitting = formats.filter((other) => canBe(`image/${other}`, bytes));
    expect(fitting).toEqual([format]);
  }
});

test.each([
  ["application/pdf", "%PDF-1.7\n"],
  ["application/zip", "PK\x03\x04rest"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK\x03\x04rest"],
  ["application/gzip", "\x1f\x8b\x08"],
  ["video/mp4", box("isom", "mp42").toString("latin1")],
  ["image/avif", box("mif1", "avif").toString("latin1")],
  ["image/heic", box("heic").toString("latin1")],
  ["audio/mpeg", "ID3\x04"],
  ["audio/wav", "RIFF\0\0\0\0WAVE"],
  ["image/svg+xml", '<?xml version="1.0"?>\n<svg xmlns="x">'],
  ["application/json", '{"a":1}'],
])("%s is known by its beginning, and noise and nothing are not it", (type, text) => {
  expect(canBe(type, Buffer.from(text, "latin1"))).toBe(true);
  expect(canBe(type, Buffer.from("\0\x01MZ\x90\0\x03", "latin1"))).toBe(false);
  if (!/json/.test(type)) expect(canBe(type, Buffer.from("x"))).toBe(false);
});

test("text holds no NUL, unless it says that its characters have two bytes", () => {
  expect(canBe("text/csv", Buffer.from("a;b\n"))).toBe(true);
  expect(canBe("text/plain", Buffer.from("\ufeffä", "utf16le"))).toBe(true);
  expect(canBe("text/plain", Buffer.from("\x7fELF\0\0"))).toBe(false);
});

test("a type that nobody knows is believed", () => {
  expect(canBe("application/octet-stream", Buffer.from([0, 1, 2]))).toBe(true);
  expect(canBe("application/x-blend", Buffer.from([0]))).toBe(true);
  expect(canBe("constructor", Buffer.from([0]))).toBe(true);
});
