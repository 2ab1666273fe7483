// Pure rules of addresses, usernames and session lifetimes.
import { plainName } from "@svc/contract/plain-name.ts";
import { slugCandidates, slugOf } from "../../platform/wire/slug.ts";
import { isReservedUsername, normalisedEmail } from "../account/rules.ts";

export { normalisedEmail };

/** The normalized address of a sign-in; empty if no account can have what was typed. */
export function askedAddress(typed: string): string {
  const email = typed.length > 4 * LONGEST_ADDRESS ? "" : normalisedEmail(typed);
  return /[\p{Cc}\p{Cs}]/u.test(email) || email.length > LONGEST_ADDRESS ? "" : email;
}
const LONGEST_ADDRESS = 254;

/** Cookies of a remembered session outlive the browser; others end with it. */
const SESSION_SECONDS = 30 * 24 * 60 * 60;
export const cookieMaxAge = (remembered: boolean) => (remembered ? SESSION_SECONDS : null);

/** Whether the password is the address itself, or the part of it in front of the @. */
export function isOwnAddress(password: string, email: string): boolean {
  const plain = normalisedEmail(password);
  return plain === email || plain === email.split("@")[0];
}

const USERNAME_LENGTH = 30;
/** Candidates from the name, or from the address if the name has no ASCII letters; the first free one is used. */
export function usernameCandidates(displayName: string, email: string): string[] {
  const base = slugOf(displayName, USERNAME_LENGTH) || slugOf(email.split("@")[0] as string, USERNAME_LENGTH) || "user";
  return slugCandidates(base, USERNAME_LENGTH).filter((candidate) => !isReservedUsername(candidate));
}

const DISPLAY_NAME_LENGTH = 100;
/** Sanitizes a name from a provider; without one, uses the local part of the address. */
export function displayNameOf(name: string | null, email: string): string {
  const cut = plainName([...plainName((name ?? "").replace(/\p{Cc}+/gu, " "))].slice(0, DISPLAY_NAME_LENGTH).join(""));
  return cut || (email.split("@")[0] as string).slice(0, DISPLAY_NAME_LENGTH);
}
