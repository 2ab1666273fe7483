// What a provider sends is somebody else's word: each part is looked at before it is used, and nothing in it is trusted to be there.

type Fields = Readonly<Record<string, unknown>>;
const NONE: Fields = Object.freeze({});

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : NONE;

/** On one line where it is short enough to be a name, without what a database cannot store or a terminal would act on; a number as it is written. */
export function textOf(value: unknown, most: number): string {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this takes away.
  const plain = text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, "");
  return [...(most <= 500 ? plain.replace(/\s+/g, " ").trim() : plain)].slice(0, most).join("");
}

/** JSON, or the fields of a form; null where it is neither. */
export function parsedBody(body: Buffer): Fields | null {
  const text = body.toString();
  if (!/^\s*[[{]/.test(text)) return text.includes("=") ? Object.fromEntries(new URLSearchParams(text)) : null;
  try {
    const value: unknown = JSON.parse(text);
    return fieldsOf(value) === NONE ? null : fieldsOf(value);
  } catch {
    return null;
  }
}
