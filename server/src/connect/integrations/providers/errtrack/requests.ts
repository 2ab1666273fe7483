// Verifies the requests of an error tracker. Our scheme signs the whole request and the time. Sentry signs the body
// alone, which a GET does not have: that is accepted only of an installation that was connected with Sentry's own
// secret.
import { isSigned, type SentHeaders } from "../../../../platform/wire/standard-webhooks.ts";
import { isHmac } from "../signatures.ts";

const SENTRY = "sentry:";
/** Stored form of a secret of Sentry's. */
export const asSentrySecret = (secret: string) => `${SENTRY}${secret}`;
/** Null if the secret is one of ours. */
export const sentrySecret = (kept: string) => (kept.startsWith(SENTRY) ? kept.slice(SENTRY.length) : null);

/** Signed part of a request. */
export const signedPart = (method: string, url: string, body: Buffer) =>
  Buffer.concat([Buffer.from(`${method} ${url}\n`), body]);

interface Sent {
  method?: string | undefined;
  url?: string | undefined;
  headers: SentHeaders;
}
export function isAsked({ method, url, headers }: Sent, body: Buffer, secret: string, now: Date): boolean {
  const own = sentrySecret(secret);
  return own === null
    ? isSigned(headers, signedPart(method ?? "", url ?? "", body), secret, now)
    : isHmac(headers["sentry-app-signature"], own, body);
}
