// The rules of a password as far as a browser can know them: the service counts alike and decides.
export const SHORTEST = 12;
export const LONGEST = 128;

/** Characters as the service counts them: code points of the normalised text. */
export const lengthOf = (password: string) => [...password.normalize("NFC")].length;

export function passwordFault(password: string): string | null {
  const length = lengthOf(password);
  if (length === 0) return "Enter a password.";
  if (length < SHORTEST) return `Use at least ${SHORTEST} characters: ${SHORTEST - length} more.`;
  if (length > LONGEST) return `Use at most ${LONGEST} characters: ${length - LONGEST} fewer.`;
  return null;
}
