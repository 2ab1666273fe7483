// Checks a password against a breached-password range service (k-anonymity). The service receives the first five
// hexadecimal digits of the SHA-1, which about a million other passwords share, and returns all hashes with that
// prefix. If it is slow, broken or unreachable, only the shipped list decides.
import { hash } from "node:crypto";
import { egressTo } from "../../../platform/outside/egress.ts";
import type { ExternalSystems } from "../../../platform/outside/external-systems.ts";

const MS = 1500;
/** Room for about a thousand hashes, padding included. */
const BYTES = 256 * 1024;

/** The operator configures the URL, so it may point into the operator's own network. */
export function breachRange(url: string): NonNullable<ExternalSystems["breachRange"]> {
  const egress = egressTo({ allow: [new URL(url).origin] });
  const base = url.replace(/\/?$/, "/");
  return async (digits) => {
    const limits = { ms: MS, bytes: BYTES, headers: { "add-padding": "true" } };
    const answer = await egress(base + digits, limits).catch(() => null);
    return answer?.status === 200 ? answer.body.toString("latin1") : "";
  };
}

export async function isInRange(range: ExternalSystems["breachRange"], password: string): Promise<boolean> {
  if (!range) return false;
  const digest = hash("sha1", password.normalize("NFC"), "hex").toUpperCase();
  const [digits, rest] = [digest.slice(0, 5), digest.slice(5)];
  const lines = (await range(digits)).split(/\r?\n/);
  // Padding entries have the count 0.
  return lines.some((line) => line.toUpperCase().startsWith(`${rest}:`) && Number(line.slice(rest.length + 1)) > 0);
}
