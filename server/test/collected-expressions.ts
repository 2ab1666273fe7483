// Regular expressions that are put together at run time: those of plain requests and reminders, and the patterns of
// schemas, which the validator compiles.
import { operations } from "@svc/contract/operations.ts";
import { frames } from "@svc/contract/surfaces/realtime/frames.ts";
import { intents } from "../src/assistant/discuss/language/intents.ts";
import { reminders } from "../src/assistant/discuss/language/reminder-words.ts";
import { agentTools, assistantTools } from "../src/assistant/tools/tools.ts";
import type { Expression } from "./expressions.ts";

/** Where the expressions of each kind come from. */
export const sources: Readonly<Record<string, unknown>> = {
  "server/src/assistant/discuss/language/intents.ts": intents,
  "server/src/assistant/discuss/language/reminder-words.ts": reminders,
  "contract/src": [operations, frames],
  "server/src/assistant/tools": [agentTools, assistantTools],
};

export const collectedExpressions = (from = sources): { path: string; expression: Expression }[] =>
  Object.entries(from).flatMap(([path, values]) => within(values).map((expression) => ({ path, expression })));

/** Expressions, values of `pattern` and keys of `patternProperties` anywhere in a value. */
function within(values: unknown): Expression[] {
  const found = new Map<string, Expression>();
  const add = (source: string, flags: string) => found.set(`/${source}/${flags}`, { source, flags, line: 0 });
  const seen = new Set<unknown>();
  const open = [values];
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (value instanceof RegExp) add(value.source, value.flags);
    const { pattern, patternProperties } = value as Record<string, unknown>;
    if (typeof pattern === "string") add(pattern, "u");
    for (const key of Object.keys(patternProperties ?? {})) add(key, "u");
    open.push(...(value instanceof Map ? value.values() : Object.values(value)));
  }
  return [...found.values()];
}
