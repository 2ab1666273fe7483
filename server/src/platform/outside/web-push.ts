// Web Push (RFC 8030, 8291, 8292): a message is encrypted for one browser, signed with the key that it subscribed with,
// and sent through the egress to the push service that the browser chose. The push service cannot read it.
import type { Config } from "../settings/config.ts";
import { EgressError } from "./egress.ts";
import type { HttpExchange, Push } from "./external-systems.ts";
import { vapidKeyOf } from "./vapid-keys.ts";

const DAY = 24 * 60 * 60;
const GONE = new Set([404, 410]);

/** Contact for the operator of a push service: the service's address, or the sender of its mail. */
const contactOf = ({ publicUrl, mailFrom }: Config) =>
  publicUrl.startsWith("https:") ? publicUrl : `mailto:${mailFrom.replace(/^.*<|>$/g, "")}`;

export function openPush(config: Config, egress: HttpExchange): Push {
  const keys = config.secretKeys.map(({ key }) => vapidKeyOf(key));
  const subject = contactOf(config);
  return {
    publicKey: keys[0]?.publicKey ?? "",
    async send({ endpoint, p256dh, auth, publicKey }, message) {
      const key = keys.find((candidate) => candidate.publicKey === publicKey);
      if (!key) return "gone";
      // Loaded lazily: 14 MB, which only a sending process needs.
      const { default: webPush } = await import("web-push");
      const { headers: signed, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, message, {
        vapidDetails: { subject, ...key },
        TTL: DAY,
        contentEncoding: "aes128gcm",
      });
      const { "Content-Length": _, ...rest } = signed as Record<string, string | number>;
      const headers = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
      const status = await statusOf(egress(endpoint, { method: "POST", headers, body: body as Buffer, bytes: 65_536 }));
      if (status === null || GONE.has(status)) return "gone";
      if (status < 200 || status > 299) throw new Error(`the push service answered ${status}`);
      return "sent";
    },
  };
}

/** Null if the address is not public, so that it cannot belong to a push service. */
async function statusOf(sent: ReturnType<HttpExchange>): Promise<number | null> {
  try {
    return (await sent).status;
  } catch (error) {
    if (error instanceof EgressError && (error.fault === "address" || error.fault === "url")) return null;
    throw error;
  }
}
