// Reads untrusted data of providers: each part is validated before use, and none is expected to exist.
import { tooDeepIn } from "../../../platform/wire/input/json-depth.ts";

type Fields = Readonly<Record<string, unknown>>;
const NONE: Fields = Object.freeze({});

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : NONE;

/**
 * Text of `value`, on one line if `most` is short enough for a name, without characters that a database cannot store or
 * a terminal would act on; a number as its decimal text.
 */
export function textOf(value: unknown, most: number): string {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this takes away.
  const plain = text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, "");
  return [...(most <= 500 ? plain.replace(/\s+/g, " ").trim() : plain)].slice(0, most).join("");
}

/** JSON, or the fields of a form; null if it is neither. */
export function parsedBody(body: Buffer): Fields | null {
  const text = body.toString();
  if (!/^\s*[[{]/.test(text)) return text.includes("=") ? Object.fromEntries(new URLSearchParams(text)) : null;
  if (tooDeepIn(text) !== null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return fieldsOf(value) === NONE ? null : fieldsOf(value);
  } catch {
    return null;
  }
}

/** The present time if the value is no time, or lies in the future. */
export function timeOf(value: unknown): string {
  const time = typeof value === "number" ? value * 1000 : typeof value === "string" ? Date.parse(value) : Number.NaN;
  const now = Date.now();
  return new Date(time > 0 && time < now ? time : now).toISOString();
}

export const listOf = (value: unknown, most: number): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, most) : [];

/** An http(s) address that a browser may open; empty if it is none. */
export function urlOf(value: unknown): string {
  const text = textOf(value, 2000);
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).href : "";
}

/** Parses the JSON in the form field `payload`, if there is one; else returns the body itself. */
export function unwrapped(sent: unknown): Fields {
  const { payload } = fieldsOf(sent);
  return typeof payload === "string" ? (parsedBody(Buffer.from(payload)) ?? NONE) : fieldsOf(sent);
}

/** Whether the text may contain the code of a Task. */
export const mayName = (text: unknown): boolean => typeof text === "string" && /[A-Za-z0-9]-\d/.test(text);
