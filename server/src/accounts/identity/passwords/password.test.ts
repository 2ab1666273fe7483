// Hashing and the list of stolen passwords.
import { hash, parseOptions } from "@node-rs/argon2";
import { expect, test } from "vitest";
import { isBreached } from "./breached-passwords.ts";
import { DUMMY_HASH, hashPassword, verifyPassword } from "./password.ts";

test("a missing account costs the same verification as one that exists", async () => {
  expect(parseOptions(DUMMY_HASH)).toEqual(parseOptions(await hashPassword("quartz-lantern-48-vellum")));
  expect(await verifyPassword(null, "quartz-lantern-48-vellum")).toBe(false);
});

test("a hash made at another cost still verifies, so that the cost can be raised", async () => {
  const cheap = await hash("quartz-lantern-48-vellum", { memoryCost: 8192, timeCost: 1, parallelism: 1 });
  expect(await verifyPassword(cheap, "quartz-lantern-48-vellum")).toBe(true);
});

test("more hashes than the gate lets wait are refused as overload, and the others are all answered", async () => {
  const hashes = await Promise.allSettled(Array.from({ length: 70 }, () => verifyPassword(null, "x")));
  const refused = hashes.filter((result) => result.status === "rejected");
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every((result) => result.reason.code === "overloaded")).toBe(true);
  expect(await verifyPassword(null, "x")).toBe(false);
});

test("the shipped list knows its first and last entries and common ones, and not a sentence of one's own", () => {
  for (const stolen of ["123qweasdzxc", "leavemealone", "Sojdlg123aljg", "SONYERICSSON"])
    expect(isBreached(stolen)).toBe(true);
  for (const own of ["correct horse battery staple", "quartz-lantern-48-vellum", "", "x".repeat(128)])
    expect(isBreached(own)).toBe(false);
});
