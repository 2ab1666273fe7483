// Decides who may read the outbox of a service without a mail server (surfaces/reference/mailbox.ts).
import type { Config } from "./config.ts";

/**
 * here: anyone with the printed address, on a loopback PUBLIC_URL; operator: anyone with the operator's secret; null:
 * nobody.
 */
export function outboxFor({ smtpUrl, outbox, publicUrl }: Pick<Config, "smtpUrl" | "outbox" | "publicUrl">) {
  if (smtpUrl !== null || outbox === false) return null;
  if (/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(publicUrl).hostname)) return "here";
  return outbox === true ? "operator" : null;
}
