// Rules of a binding, and codes of Tasks in texts from elsewhere. Pure.
import type { ResourceEvent } from "../client/provider.ts";
import { noRules, type ResourceRules } from "../rules.ts";

/** Rules as stored, with the missing ones off. */
export const rulesOf = (stored: Partial<ResourceRules>): ResourceRules => ({ ...noRules, ...stored });

type Step = Extract<ResourceEvent, { what: "entity" }>["step"] | Extract<ResourceEvent, { what: "error" }>["step"];
/** Status that a step moves a Task to; null: none. */
export function statusFor(rules: ResourceRules, step: Step): string | null {
  if (step === "opened" || step === "reopened") return rules.opened_status_id;
  if (step === "review") return rules.review_status_id;
  return step === "merged" || step === "resolved" ? rules.merged_status_id : null;
}

const SO: Readonly<Record<string, readonly string[]>> = {
  opened: ["open", "draft"],
  review: ["open"],
  merged: ["merged"],
  closed: ["closed"],
};
/** Whether a step of a pull request still holds in its present state. */
export const isStill = (step: Step, state: string) => step === null || SO[step]?.includes(state) === true;

/**
 * Deliveries are remembered for 90 days. Events older than this move nothing, so that a replay is harmless after its
 * delivery was forgotten.
 */
const DAYS = 30;
export const isRecentEnough = (changedAt: string, now: Date) =>
  now.getTime() - Date.parse(changedAt) < DAYS * 24 * 60 * 60 * 1000;

const CODE = /(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9]{0,9})-(\d{1,9})(?![A-Za-z0-9])/g;
const MOST_CODES = 20;
/** Codes of Tasks in texts, also within the name of a branch, of Projects with these keys. */
export function codesIn(texts: readonly string[], keys: ReadonlySet<string>): { key: string; number: string }[] {
  const found = new Map<string, { key: string; number: string }>();
  for (const text of texts)
    for (const [, letters = "", number = ""] of text.matchAll(CODE)) {
      const key = letters.toUpperCase();
      if (keys.has(key) && found.size < MOST_CODES) found.set(`${key}-${Number(number)}`, { key, number });
    }
  return [...found.values()];
}

/** Quotes words from elsewhere: a mention there must not notify a namesake here. */
export const quoted = (text: string) => text.replaceAll("@", "@\u200b");
