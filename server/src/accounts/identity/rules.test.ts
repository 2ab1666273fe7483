// Addresses and usernames.
import { expect, test } from "vitest";
import { isOwnAddress, normalisedEmail, usernameCandidates } from "./rules.ts";

test("an address has one spelling", () => {
  expect(normalisedEmail("  Ada.Lovelace@Example.COM ")).toBe("ada.lovelace@example.com");
});

test("a password is one's own address in any case, whole or up to the @", () => {
  expect(isOwnAddress("Ada.Lovelace@example.com", "ada.lovelace@example.com")).toBe(true);
  expect(isOwnAddress("ADA.LOVELACE", "ada.lovelace@example.com")).toBe(true);
  expect(isOwnAddress("ada.lovelace@example.org", "ada.lovelace@example.com")).toBe(false);
});

test("a username comes from the name, else from the address, else is user; reserved words are passed over", () => {
  expect(usernameCandidates("Ada Lovelace", "x@example.com")[0]).toBe("ada-lovelace");
  expect(usernameCandidates("小林", "emi.k@example.com")[0]).toBe("emi-k");
  expect(usernameCandidates("小林", "+@example.com")[0]).toBe("user");
  expect(usernameCandidates("Admin", "x@example.com")[0]).toBe("admin-2");
});
