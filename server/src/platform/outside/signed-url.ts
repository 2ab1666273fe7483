// Signed paths of this service that grant access by themselves: for one method until one moment, with the key's id so
// that keys rotate. The signature covers path and query exactly as in the request line, so that there is nothing to
// normalise or to reorder.

import type { SecretKey } from "../settings/secret-keys.ts";
import { hmac, sameText } from "../wire/ids.ts";

export interface UrlSigner {
  /** `path` may have a query already. */
  sign(method: string, path: string, seconds: number): string;
  /** Returns the signed query; null if the signature is wrong or has expired. */
  open(method: string, target: string): URLSearchParams | null;
}

const SIGNATURE = "&signature=";
const SIGNED = /[?&]until=(\d{1,12})&by=([\w-]{1,32})$/;
/** Maximum number of characters that SIGNED matches. */
const MOST_SIGNED = 60;

export function urlSigner(secretKeys: readonly SecretKey[], now: () => number = Date.now): UrlSigner {
  const [current] = secretKeys;
  if (!current) throw new Error("no secret key");
  const signature = (key: Buffer, method: string, text: string) =>
    hmac(key, `url\n${method}\n${text}`).toString("base64url");
  return {
    sign(method, path, seconds) {
      const until = Math.floor(now() / 1000) + seconds;
      const text = `${path}${path.includes("?") ? "&" : "?"}until=${until}&by=${current.id}`;
      return `${text}&signature=${signature(current.key, method, text)}`;
    },
    open(method, target) {
      const text = target.slice(0, Math.max(0, target.lastIndexOf(SIGNATURE)));
      const sent = target.slice(text.length + SIGNATURE.length);
      const [, until = "", id] = SIGNED.exec(text.slice(-MOST_SIGNED)) ?? [];
      const key = secretKeys.find((candidate) => candidate.id === id);
      if (!key || !sameText(sent, signature(key.key, method, text))) return null;
      return now() < Number(until) * 1000 ? new URLSearchParams(text.slice(text.indexOf("?") + 1)) : null;
    },
  };
}
