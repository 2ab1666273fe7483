// Codes of a second factor: the standard's own numbers, and how a recovery code may be spelled.
import { expect, test } from "vitest";
import { newRecoveryCodes, newTotpSecret, provisioningUri, recoveryHash, stepOf, typedCode } from "./one-time-code.ts";

/** "12345678901234567890" of RFC 6238, appendix B; its eight digits end in these six. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const published: [number, string][] = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
];

test("the codes are those of RFC 6238", () => {
  for (const [seconds, digits] of published) expect(stepOf(secret, digits, seconds)).toBe(Math.floor(seconds / 30));
});

test("a code counts one step early and one step late, and no further", () => {
  const [seconds, digits] = [1_234_567_890, "005924"];
  const step = Math.floor(seconds / 30);
  const start = step * 30;
  expect(stepOf(secret, digits, start - 30)).toBe(step);
  expect(stepOf(secret, digits, start + 59.9)).toBe(step);
  expect(stepOf(secret, digits, start - 30.1)).toBeNull();
  expect(stepOf(secret, digits, start + 60)).toBeNull();
});

test("a secret has 160 bits, and the provisioning URI carries it with the address", () => {
  const made = newTotpSecret();
  expect(made).toMatch(/^[A-Z2-7]{32}$/);
  const uri = new URL(provisioningUri(made, "ada+x@example.com"));
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    "otpauth:",
    "totp",
    "/svc:ada+x@example.com",
  ]);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: "svc",
    secret: made,
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});

test("recovery codes are ten different ones of four groups", () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
});

test("case, spaces, hyphens and letters that look like digits do not make another recovery code", () => {
  const hash = recoveryHash("0K1M-Q9TX-4B8D-HW3N");
  for (const spelling of [
    "0k1mq9tx4b8dhw3n",
    " OKIM q9tx 4B8D HW3N ",
    "ok-lm-q9-tx-4b-8d-hw-3n",
    "0K1M\u00a0Q9TX4B8DHW3N",
  ])
    expect(recoveryHash(spelling)).toEqual(hash);
  expect(recoveryHash("0K1M-Q9TX-4B8D-HW3P")).not.toEqual(hash);
});

test("six digits, however spaced, are a code of the authenticator and everything else is not", () => {
  for (const text of ["123456", "123 456", " 12-34-56 "]) expect(typedCode(text).digits).toBe("123456");
  for (const text of ["12345", "1234567", "12345O", "١٢٣٤٥٦", "+12345", "1e1000"])
    expect(typedCode(text).digits).toBeNull();
});
