// Emails to the account owner about the second factor. None of them contains a link or a secret.
import type { Letter } from "../../../platform/outside/external-systems.ts";
import { letter } from "../../../platform/outside/letter.ts";

const NOT_YOU = "If this was not you, change your password at once and end all other sessions in your account.";
const notice = (to: string, subject: string, ...paragraphs: string[]): Letter =>
  letter({ to, subject, paragraphs, closing: [NOT_YOU] });

export const enabledNotice = (to: string) =>
  notice(
    to,
    "Two-step sign-in is on",
    "From now on, signing in with your password also asks for a code of your authenticator.",
    "Keep your recovery codes in a safe place: they let you in when the authenticator is lost.",
  );

export const removedNotice = (to: string) =>
  notice(
    to,
    "Two-step sign-in is off",
    "The authenticator and the recovery codes of your account were removed. Your password alone lets you in now.",
  );

export const codesReplacedNotice = (to: string) =>
  notice(to, "New recovery codes", "Your account has ten new recovery codes. The earlier ones do not work any more.");

export const recoveryCodeNotice = (to: string, left: number) =>
  notice(
    to,
    "A recovery code was used",
    "A recovery code of your account was used just now. " +
      `${left === 1 ? "One is" : `${left === 0 ? "None" : left} are`} left.`,
  );

export const wrongCodesNotice = (to: string, wrong: number) =>
  notice(
    to,
    "Wrong codes for your account",
    `Somebody knows your password and has entered ${wrong} wrong codes since your last sign-in with a code.`,
  );
