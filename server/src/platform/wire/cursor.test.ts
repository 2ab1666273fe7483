// Cursors: opened only as they were sealed, where they were sealed, under any key that is still known.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { cursorSigner } from "./cursor.ts";

const key = () => ({ id: "k", key: randomBytes(32) });
const mine = key();
const signer = cursorSigner([mine]);

test("a cursor opens to the key that was sealed", () => {
  for (const sealed of ['["ENG",5]', "[null]", "[]", '["ü💥",-1.5,null]']) {
    const cursor = signer.seal(sealed, "me", "binding");
    expect(cursor).toMatch(/^[\w-]*\.[\w-]{24}$/);
    expect(signer.open(cursor, "binding")).toEqual({ caller: "me", after: JSON.parse(sealed) });
  }
});

test("a cursor does not tell what it holds, and two that differ have nothing in common", () => {
  const [one, other] = ["1", "2"].map((id) => signer.seal(`["secret",${id}]`, "me", "binding").split(".")[0] as string);
  expect(Buffer.from(one as string, "base64url").toString("latin1")).not.toContain("secret");
  expect(one?.slice(0, 6)).not.toBe(other?.slice(0, 6));
  expect(signer.seal('["secret",1]', "me", "binding").split(".")[0]).toBe(one);
});

test("a cursor of another binding, with one character changed, cut or lengthened is refused", () => {
  const cursor = signer.seal('["ENG",5]', "me", "binding");
  expect(() => signer.open(cursor, "bindinh")).toThrow("invalid_cursor");
  expect(() => signer.open(cursor, "")).toThrow("invalid_cursor");
  for (let at = 0; at < cursor.length; at++) {
    const other = cursor[at] === "A" ? "B" : "A";
    expect(() => signer.open(cursor.slice(0, at) + other + cursor.slice(at + 1), "binding"), `position ${at}`).toThrow(
      "invalid_cursor",
    );
    expect(() => signer.open(cursor.slice(0, at), "binding"), `cut at ${at}`).toThrow("invalid_cursor");
  }
  for (const more of [`${cursor}.`, `${cursor}.x`, `${cursor}A`, `A${cursor}`])
    expect(() => signer.open(more, "binding")).toThrow("invalid_cursor");
});

test("keys rotate: what an older key sealed still opens, and what an unknown one sealed does not", () => {
  const rotated = cursorSigner([key(), mine]);
  expect(rotated.open(signer.seal("[1]", "me", "b"), "b").after).toEqual([1]);
  expect(() => signer.open(rotated.seal("[1]", "me", "b"), "b")).toThrow("invalid_cursor");
});
