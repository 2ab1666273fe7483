// Emails to the account owner about identities. None of them contains a link or a secret.
import { letter } from "../../../platform/outside/letter.ts";
import type { ProviderName } from "../../../platform/outside/openid.ts";
import { REMOVED } from "../email/recovery-letters.ts";

const names: Record<ProviderName, string> = { google: "Google", microsoft: "Microsoft", apple: "Apple" };
const NOT_YOU =
  "If this was not you, remove it in your account at once, end all other sessions and secure your account at " +
  "the provider.";

export const linkedNotice = (to: string, provider: ProviderName) =>
  letter({
    to,
    subject: `You can sign in with ${names[provider]} now`,
    paragraphs: [`An account at ${names[provider]} was linked to yours. Whoever holds it can sign in as you.`],
    closing: [NOT_YOU],
  });

export const reclaimedNotice = (to: string, provider: ProviderName) =>
  letter({
    to,
    subject: "Your address is confirmed",
    paragraphs: [
      `You signed in with ${names[provider]}, which confirms your address. Until then nobody had shown that it ` +
        "belongs to whoever opened this account.",
      REMOVED,
      "If you want a password again, ask for a reset link on the sign-in page.",
    ],
    closing: [NOT_YOU],
  });
