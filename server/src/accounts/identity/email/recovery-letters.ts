// Emails about addresses and passwords. None of them contains a name that a user chose: otherwise anyone who registers
// with another person's address could send that person a text in our name.
import type { Letter } from "../../../platform/outside/external-systems.ts";
import { letter } from "../../../platform/outside/letter.ts";
import type { LinkKind } from "./link-store.ts";
import { lifetimes } from "./link-store.ts";

const linkTo = (origin: string, kind: LinkKind, token: string) =>
  `${origin}/api/v1/auth/continuations/${kind}?token=${encodeURIComponent(token)}`;

const words: Record<LinkKind, { subject: string; paragraph: string; label: string; closing: string }> = {
  email_verification: {
    subject: "Confirm your address",
    paragraph:
      "An account was opened with this address. If you opened it, please confirm that the address is yours. " +
      "Until then a forgotten password cannot be replaced.",
    label: "Confirm this address",
    closing:
      "If you did not open it, do not follow the link: whoever did would keep the account. Ignore this letter, " +
      "and nothing happens.",
  },
  password_reset: {
    subject: "Set a new password",
    paragraph:
      "Somebody, probably you, has asked for a new password. Setting it ends every session and every API token of " +
      "your account.",
    label: "Set a new password",
    closing: "If you did not ask for it, ignore this letter: your password stays as it is.",
  },
  email_change: {
    subject: "Confirm your new address",
    paragraph:
      "This address is to become the one of an account. Open the link in the browser in which you are signed in.",
    label: "Use this address",
    closing: "If you did not ask for it, ignore this letter: nothing changes.",
  },
};

export function linkLetter(origin: string, to: string, kind: LinkKind, token: string): Letter {
  const { subject, paragraph, label, closing } = words[kind];
  const action = { label, url: linkTo(origin, kind, token) };
  return letter({
    to,
    subject,
    paragraphs: [paragraph],
    action,
    closing: [`The link works once, and for ${lifetimes[kind]}.`, closing],
  });
}

const SET_ANOTHER =
  'If this was not you, set a new password at once with the link "Forgot your password?" of the sign-in page.';

export const passwordNotice = (to: string, tokensRevoked: boolean) =>
  letter({
    to,
    subject: "Your password was changed",
    paragraphs: [
      "The password of your account was changed just now. All other sessions were ended, and applications that " +
        "you had connected must be connected again.",
      tokensRevoked
        ? "Your API tokens were revoked, too: scripts that used one need a new one."
        : "API tokens still work. Revoke in your account those that you do not know.",
    ],
    closing: [SET_ANOTHER],
  });

/** Text listing what was removed when an owner proved the address of an unproved account. */
export const REMOVED =
  "To be safe we removed what could have let somebody else in: the former password, passkeys, the second factor, " +
  "linked accounts of other providers, API tokens, sessions and applications, MCP service credentials that were " +
  "made with the account, and invitations that it had sent. Nothing else was changed. " +
  "Look through the members of your Workspaces for somebody whom you do not know.";

export const reclaimedByMailNotice = (to: string) =>
  letter({
    to,
    subject: "Your password was changed",
    paragraphs: [
      "The password of your account was changed just now, with the link that we sent to this address. " +
        "Until then nobody had shown that the address belongs to whoever opened the account.",
      REMOVED,
    ],
    closing: [SET_ANOTHER],
  });

export const emailChangeAskedNotice = (to: string, next: string) =>
  letter({
    to,
    subject: "A new address was asked for",
    paragraphs: [
      `The address of your account is to change to ${next}. It changes when that address has been confirmed.`,
    ],
    closing: [SET_ANOTHER],
  });

export const emailChangedNotice = (to: string, next: string) =>
  letter({
    to,
    subject: "Your address was changed",
    paragraphs: [`The address of your account is ${next} now. This one does not belong to it any more.`],
    closing: ["If this was not you, tell those who run this service at once."],
  });
