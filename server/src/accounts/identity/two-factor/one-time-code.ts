// Second factor codes: six digits from an authenticator (RFC 6238: SHA-1, 30 seconds), or one of ten recovery codes.
// Pure: the caller passes the time and checks whether a code was used before.
import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { sha256 } from "../../../platform/wire/ids.ts";

const PERIOD = 30;
const totp = (secret: string, label = "") =>
  new TOTP({ issuer: "svc", label, digits: 6, period: PERIOD, secret: Secret.fromBase32(secret) });

/** 160 bits, as RFC 4226 recommends. */
export const newTotpSecret = () => new Secret({ size: 20 }).base32;
/** The otpauth URI for the QR code. */
export const provisioningUri = (secret: string, email: string) => totp(secret, email).toString();

/** The time step of this code if it is the current one or a neighbour, else null. `seconds` is the Unix time. */
export function stepOf(secret: string, digits: string, seconds: number): number | null {
  const delta = totp(secret).validate({ token: digits, timestamp: seconds * 1000, window: 1 });
  return delta === null ? null : Math.floor(seconds / PERIOD) + delta;
}

const RECOVERY_CODES = 10;
/** Crockford's alphabet: no letters that are easily read as digits. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const MISREAD: Record<string, string> = { O: "0", I: "1", L: "1" };

/** 80 bits each, so that a plain hash is enough, in four groups that are easy to read aloud. */
export function newRecoveryCodes(): string[] {
  const code = () => [...randomBytes(16)].map((byte) => ALPHABET[byte % 32]).join("");
  return Array.from({ length: RECOVERY_CODES }, () => code().replace(/(.{4})(?!$)/g, "$1-"));
}

/** Ignores case, spaces and hyphens, and maps misread letters to digits. */
const spelled = (text: string) =>
  text
    .replace(/[\s-]/g, "")
    .toUpperCase()
    .replace(/[OIL]/g, (letter) => MISREAD[letter] as string);
export const recoveryHash = (code: string) => sha256(spelled(code));

/** A typed code: the digits of an authenticator code, or else null, and its hash as a recovery code. */
export interface TypedCode {
  digits: string | null;
  hash: Buffer;
}
export function typedCode(text: string): TypedCode {
  const plain = text.replace(/[\s-]/g, "");
  return { digits: /^[0-9]{6}$/.test(plain) ? plain : null, hash: recoveryHash(text) };
}
