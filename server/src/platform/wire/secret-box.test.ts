// Sealed secrets: readable again only in their own row and under a key that is known.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { secretBox } from "./secret-box.ts";

const old = { id: "old", key: randomBytes(32) };
const current = { id: "new", key: randomBytes(32) };
const box = secretBox([old]);

test("what is sealed opens in its row, and is sealed differently each time", () => {
  for (const plain of ["", "x", "svc_pat_ü💥", "x".repeat(100_000)]) {
    const sealed = box.seal(plain, "row");
    expect(sealed).toMatch(/^old\.[\w-]{16}\.[\w-]+$/);
    expect(box.open(sealed, "row")).toBe(plain);
    expect(box.seal(plain, "row")).not.toBe(sealed);
  }
});

test("a value that was moved to another row, changed or cut does not open", () => {
  const sealed = box.seal("secret", "row");
  expect(() => box.open(sealed, "other row")).toThrow();
  const [id, nonce, data] = sealed.split(".") as [string, string, string];
  const bytes = Buffer.from(data, "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    expect(() => box.open([id, nonce, changed.toString("base64url")].join("."), "row"), `byte ${at}`).toThrow();
  }
  expect(() => box.open([id, nonce, data.slice(0, -4)].join("."), "row")).toThrow();
});

test("keys rotate by their id, and what one sealed that is not there any more is given up", () => {
  const sealed = box.seal("secret", "row");
  expect(secretBox([current, old]).open(sealed, "row")).toBe("secret");
  expect(secretBox([current, old]).seal("secret", "row")).toMatch(/^new\./);
  expect(secretBox([current]).open(sealed, "row")).toBeNull();
});
