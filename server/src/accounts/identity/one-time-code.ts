// The codes of a second factor: six digits from an authenticator (RFC 6238: SHA-1, 30 seconds), or one of ten recovery codes. Pure: the
// time is given by whoever asks, and whether a code was used before is not known here.
import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { sha256 } from "../../platform/wire/ids.ts";

const PERIOD = 30;
const totp = (secret: string, label = "") =>
  new TOTP({ issuer: "svc", label, digits: 6, period: PERIOD, secret: Secret.fromBase32(secret) });

/** 160 bits, as RFC 4226 recommends. */
export const newTotpSecret = () => new Secret({ size: 20 }).base32;
/** What the authenticator scans. */
export const provisioningUri = (secret: string, email: string) => totp(secret, email).toString();

/** The step of which this is the code, where it is the present one or a neighbour of it; the time in seconds. */
export function stepOf(secret: string, digits: string, seconds: number): number | null {
  const delta = totp(secret).validate({ token: digits, timestamp: seconds * 1000, window: 1 });
  return delta === null ? null : Math.floor(seconds / PERIOD) + delta;
}

const RECOVERY_CODES = 10;
/** Without letters that are read as digits. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const MISREAD: Record<string, string> = { O: "0", I: "1", L: "1" };

/** 80 bits each, so that a plain hash is enough, in four groups that can be read aloud. */
export function newRecoveryCodes(): string[] {
  const code = () => [...randomBytes(16)].map((byte) => ALPHABET[byte % 32]).join("");
  return Array.from({ length: RECOVERY_CODES }, () => code().replace(/(.{4})(?!$)/g, "$1-"));
}

/** Case, spaces and hyphens do not count, and misread letters are the digits that they stand for. */
const spelled = (text: string) =>
  text
    .replace(/[\s-]/g, "")
    .toUpperCase()
    .replace(/[OIL]/g, (letter) => MISREAD[letter] as string);
export const recoveryHash = (code: string) => sha256(spelled(code));

/** A code as it was typed in: digits of an authenticator, or else the hash of what may be a recovery code. */
export interface TypedCode {
  digits: string | null;
  hash: Buffer;
}
export function typedCode(text: string): TypedCode {
  const plain = text.replace(/[\s-]/g, "");
  return { digits: /^[0-9]{6}$/.test(plain) ? plain : null, hash: recoveryHash(text) };
}
