// Signatures of deliveries, compared in constant time over the raw body.
import { createHmac, timingSafeEqual } from "node:crypto";
import { sha256 } from "../../../platform/wire/ids.ts";

/** Whether `given` is the HMAC of these parts in hexadecimal. */
export function isHmac(given: unknown, secret: string, ...parts: (string | Buffer)[]): boolean {
  if (typeof given !== "string" || !/^[0-9a-f]{64}$/i.test(given)) return false;
  const mac = createHmac("sha256", secret);
  for (const part of parts) mac.update(part);
  return timingSafeEqual(mac.digest(), Buffer.from(given, "hex"));
}

/** Whether a token is the secret itself, however long either is. */
export const isSecret = (given: unknown, secret: string): boolean =>
  typeof given === "string" && timingSafeEqual(sha256(given), sha256(secret));

/** Whether a signed time, in seconds, differs by at most `age` from ours. */
export const isRecent = (time: unknown, age: number, now: Date): boolean =>
  typeof time === "string" && /^\d{1,12}$/.test(time) && Math.abs(now.getTime() / 1000 - Number(time)) <= age;
