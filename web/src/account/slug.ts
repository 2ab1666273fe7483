// Suggests a slug for a Workspace name, with the algorithm of the service.
export const SLUG_LENGTH = 48;
const LETTERS: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th", ł: "l", ı: "i" };

export const slugOf = (name: string) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\p{M}'’]/gu, "")
    .replace(/[ßæœøđðþłı]/g, (letter) => LETTERS[letter] as string)
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_LENGTH)
    .replace(/^-+|-+$/g, "");

export function slugFault(slug: string): string | null {
  if (slug === "") return "Enter an address for the Workspace.";
  if (slug.length > SLUG_LENGTH) return `Use at most ${SLUG_LENGTH} characters.`;
  if (!/^[a-z0-9]+(?:-+[a-z0-9]+)*$/.test(slug)) return "Use lowercase letters, digits and hyphens between them.";
  return null;
}
