// Client-side password rules. The service applies the same and decides.
import { say } from "../../messages/t.ts";

export const SHORTEST = 12;
export const LONGEST = 128;

/** Counts code points of the NFC-normalised text, as the service does. */
export const lengthOf = (password: string) => [...password.normalize("NFC")].length;

export function passwordFault(password: string): string | null {
  const length = lengthOf(password);
  if (length === 0) return say("Enter a password.");
  if (length < SHORTEST)
    return say("Use at least {least} characters: {more} more.", { least: SHORTEST, more: SHORTEST - length });
  if (length > LONGEST)
    return say("Use at most {most} characters: {fewer} fewer.", { most: LONGEST, fewer: length - LONGEST });
  return null;
}
