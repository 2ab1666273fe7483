// What a provider sends is somebody else's word: each part is looked at before it is used, and nothing in it is trusted to be there.
import { tooDeepIn } from "../../../platform/wire/json-depth.ts";

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
  if (tooDeepIn(text) !== null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return fieldsOf(value) === NONE ? null : fieldsOf(value);
  } catch {
    return null;
  }
}

/** Now, where it is no time, or one that has not come yet. */
export function timeOf(value: unknown): string {
  const time = typeof value === "number" ? value * 1000 : typeof value === "string" ? Date.parse(value) : Number.NaN;
  const now = Date.now();
  return new Date(time > 0 && time < now ? time : now).toISOString();
}

export const listOf = (value: unknown, most: number): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, most) : [];

/** An address that a browser may be sent to; empty where it is none. */
export function urlOf(value: unknown): string {
  const text = textOf(value, 2000);
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).href : "";
}

/** What a form has in its one field `payload`, as JSON; else what was sent itself. */
export function unwrapped(sent: unknown): Fields {
  const { payload } = fieldsOf(sent);
  return typeof payload === "string" ? (parsedBody(Buffer.from(payload)) ?? NONE) : fieldsOf(sent);
}

/** Whether the code of a Task may stand in it. */
export const mayName = (text: unknown): boolean => typeof text === "string" && /[A-Za-z0-9]-\d/.test(text);
