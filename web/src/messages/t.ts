// The words of the application, from one catalogue: `t("board.add")`, with values `t("x", { name })`, and `tn("x", count)` for a number of
// things. English comes with the first load, another language when it is asked for.
import { en } from "./en.ts";

type Later =
  | typeof import("./later/agents.ts").later
  | typeof import("./later/billing.ts").later
  | typeof import("./later/documents.ts").later
  | typeof import("./later/import.ts").later
  | typeof import("./later/integrations.ts").later
  | typeof import("./later/settings.ts").later
  | typeof import("./later/talk.ts").later
  | typeof import("./later/tools.ts").later
  | typeof import("./later/webhooks.ts").later;
export type Key = keyof typeof en | (Later extends infer Texts ? (Texts extends object ? keyof Texts : never) : never);
export type Messages = Record<Key, string>;
/** Of those that are told by number: the name without `.one` and `.other`. */
type Counted = Key extends infer K ? (K extends `${infer Name}.other` ? Name : never) : never;

/** More comes with the pages that need it. */
const english = { ...en } as Messages;
export function come(more: Partial<Messages>) {
  Object.assign(english, more);
}

let words: Messages = english;
let said: Readonly<Record<string, string>> = {};
let language = "en";
const languages = ["en", "de"] as const;
/** Where this browser keeps the language that an account has chosen. */
export const LANGUAGE = "svc:language";

/** The first of these languages that there is; dates and numbers follow the account's own. */
export async function speak(...wanted: (string | undefined)[]) {
  const found = wanted
    .map((tag) => tag?.slice(0, 2))
    .find((tag) => (languages as readonly string[]).includes(tag ?? ""));
  const next = found ?? "en";
  const other = next === "de" ? await import("./de.ts") : null;
  // Together with its words: whoever draws in between draws in the language of before.
  language = next;
  words = other?.de ?? english;
  said = other?.account ?? {};
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
}
/** For what draws words: everything is drawn anew in another language. */
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
/** Making them takes longer than all else that a message does. */
const inWords = (name: string) => ({ plural: new Intl.PluralRules(name), format: new Intl.NumberFormat(name) });
let numbers = { language, ...inWords(language) };

/**
 * The words of the account's pages, which stand in English where they are drawn; their German is found by them. What has none, such as a name, is itself.
 */
export function say(text: string, values: Record<string, string | number> = {}): string {
  const found = Object.hasOwn(said, text) ? (said[text] as string) : text;
  return found.replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? ""));
}

/** For what the service names: whether there are words for it. */
export const has = (key: string): key is Key => Object.hasOwn(words, key);

/** Why something was refused, in words; one that nobody has written about is answered in general. */
export const why = (code: string): string => words[`refused.${code}` as Key] ?? words["refused.other"];
