// Identifiers, secrets and their hashes. A secret leaves this process once; only its SHA-256 is stored.
import { createHmac, hash, randomBytes, randomFillSync, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

/** Tenant id of rows that belong to an account and to no Workspace. */
export const NIL = "00000000-0000-0000-0000-000000000000";
/** Id greater than every other: start of a list in descending order. */
export const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/** Largest number and revision: start of a list in descending order. */
export const LAST_NUMBER = "9223372036854775807";

const random = Buffer.allocUnsafe(8 * 512);
let used = random.length;
let lastMs = 0;
let sequence = 0;

/** UUIDv7 whose 12 bits after the time count up within a millisecond, so that one process creates them in order. */
export function newId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    lastMs++;
    sequence = 0;
  }
  random[used] = ((random[used] as number) & 0x3f) | 0x80;
  const time = lastMs.toString(16).padStart(12, "0");
  const tail = random.toString("hex", used, used + 8);
  used += 8;
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, "0")}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** Hashes in one call: half the cost of a Hash object. */
export const sha256 = (data: string | Buffer): Buffer => hash("sha256", data, "buffer");
export const hmac = (key: Buffer | string, data: string) => createHmac("sha256", key).update(data).digest();
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
export const secretKinds = [
  "ses",
  "pat",
  "dat",
  "drt",
  "nat",
  "nrt",
  "mat",
  "mrt",
  "msk",
  "inv",
  "mfa",
  "lnk",
  "col",
] as const;
export type SecretKind = (typeof secretKinds)[number];
const SECRET = new RegExp(`^svc_(${secretKinds.join("|")})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$`);

/**
 * svc_<kind>_ + 32 base62 (190 bits) + 6 base62 of CRC32: a scanner finds a leak, a typo is refused without a database
 * read.
 */
export function newSecret(kind: SecretKind): string {
  const body = randomText(32);
  return `svc_${kind}_${body}${checksum(kind, body)}`;
}

/** Random id of a public resource: 131 bits, so that it cannot be guessed. */
export const newPublicId = () => randomText(22);

function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    // 248 is the largest multiple of 62 below 256: bytes above it would favour the first characters.
    for (const byte of randomBytes(48)) if (byte < 248 && text.length < length) text += BASE62[byte % 62];
  }
  return text;
}

/** Kind of a well-formed secret, or null. */
export function secretKind(secret: string): SecretKind | null {
  const match = SECRET.exec(secret);
  if (!match) return null;
  const [, kind, body, sum] = match as unknown as [string, SecretKind, string, string];
  return checksum(kind, body) === sum ? kind : null;
}

function checksum(kind: string, body: string): string {
  let value = crc32(`svc_${kind}_${body}`);
  let out = "";
  for (let i = 0; i < 6; i++) {
    out = BASE62[value % 62] + out;
    value = Math.floor(value / 62);
  }
  return out;
}

/** 43 characters, derived from the session's secret: a planted cookie pair cannot match. */
export const csrfTokenOf = (sessionSecret: string) => hash("sha256", `csrf\n${sessionSecret}`, "base64url");
