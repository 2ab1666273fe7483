// Translations of the application from one catalogue: `t("board.add")`, with values `t("x", { name })`, and `tn("x",
// count)` for plurals. English loads with the first chunk, other languages on demand.
import { en } from "./en.ts";
import type { Counted, Key, Messages } from "./keys.ts";

export type { Key } from "./keys.ts";

/** Lazily loaded pages register more messages. */
const english = { ...en } as Messages;
export function come(more: Partial<Messages>) {
  Object.assign(english, more);
}

let words: Messages = english;
let said: Readonly<Record<string, string>> = {};
let language = "en";
const languages = ["en", "de"] as const;
/** localStorage key of the language that the account has chosen. */
export const LANGUAGE = "svc:language";

/** Switches to the first supported language of the list; dates and numbers follow the account's locale. */
export async function speak(...wanted: (string | undefined)[]) {
  const found = wanted
    .map((tag) => tag?.slice(0, 2))
    .find((tag) => (languages as readonly string[]).includes(tag ?? ""));
  const next = found ?? "en";
  const other = next === "de" ? await import("./de.ts") : null;
  // Switches the language together with its messages: a render during the load uses the previous language.
  language = next;
  words = other?.de ?? english;
  said = other?.account ?? {};
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
}
/** Subscribers that render again after a language change. */
const listeners = new Set<() => void>();
export function onSpeak(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
export const spoken = () => language;

export function t(key: Key, values: Record<string, string | number> = {}): string {
  return words[key].replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? ""));
}
export function tn(name: Counted, count: number, values: Record<string, string | number> = {}): string {
  if (numbers.language !== language) numbers = { language, ...inWords(language) };
  const form = numbers.plural.select(count) === "one" ? "one" : "other";
  return t(`${name}.${form}` as Key, { count: numbers.format.format(count), ...values });
}
/** Cached: constructing these formatters takes longer than everything else that a message does. */
const inWords = (name: string) => ({ plural: new Intl.PluralRules(name), format: new Intl.NumberFormat(name) });
let numbers = { language, ...inWords(language) };

/**
 * Translates a text of the account pages, whose source contains the English; the German catalogue uses it as the key. A
 * text without a translation, such as a name, is returned unchanged.
 */
export function say(text: string, values: Record<string, string | number> = {}): string {
  const found = Object.hasOwn(said, text) ? (said[text] as string) : text;
  return found.replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? ""));
}

/** True if there is a message for a key that the service supplies. */
export const has = (key: string): key is Key => Object.hasOwn(words, key);

/** Message for a rejection code; unknown codes get a generic one. */
export const why = (code: string): string => words[`refused.${code}` as Key] ?? words["refused.other"];
