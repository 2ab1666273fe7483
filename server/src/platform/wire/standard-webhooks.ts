// Standard Webhooks (standardwebhooks.com): signatures of deliveries between two services. The secret is shown as
// whsec_ and base64.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export type SentHeaders = IncomingHttpHeaders;

const PREFIX = "whsec_";
/** Seconds by which a signed time may differ from ours. */
const TOLERANCE = 300;

export const newWebhookSecret = () => `${PREFIX}${randomBytes(32).toString("base64")}`;

const keyOf = (secret: string) =>
  Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, "base64");

/** Headers of a delivery. Each secret adds a signature, so that the holder of any one of them can verify it. */
export function signed(secrets: readonly string[], id: string, body: Buffer, now: Date): Record<string, string> {
  const time = String(Math.floor(now.getTime() / 1000));
  return {
    "webhook-id": id,
    "webhook-timestamp": time,
    "webhook-signature": secrets.map((secret) => `v1,${macOf(secret, id, time, body).toString("base64")}`).join(" "),
  };
}

/** Whether one of the signatures was made with this secret, for this id and body, within five minutes. */
export function isSigned(headers: SentHeaders, body: Buffer, secret: string, now: Date): boolean {
  const [id, time, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name]);
  if (typeof id !== "string" || typeof time !== "string" || typeof signatures !== "string") return false;
  if (!/^\d{1,12}$/.test(time) || Math.abs(now.getTime() / 1000 - Number(time)) > TOLERANCE) return false;
  const wanted = macOf(secret, id, time, body);
  return signatures
    .split(" ")
    .slice(0, 10)
    .some((each) => {
      const given = Buffer.from(each.startsWith("v1,") ? each.slice(3) : "", "base64");
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    });
}

const macOf = (secret: string, id: string, time: string, body: Buffer) =>
  createHmac("sha256", keyOf(secret)).update(`${id}.${time}.`).update(body).digest();
