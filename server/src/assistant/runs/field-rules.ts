// Differences of a Task since it was read for a proposal. Pure.
import type { Args } from "../tools/tool.ts";

export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}
/** Fields that change with every write, or follow from another field. */
const LEFT_OUT = new Set(["revision", "updated_at", "category", "capabilities", "position"]);
const MOST_CHARACTERS = 200;
const shown = (value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = text.replaceAll("\n", " ");
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
};

export function fieldChanges(before: Args, after: Args): FieldChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !LEFT_OUT.has(name));
  return fields.flatMap((field) => {
    const [was, is] = [before[field], after[field]];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ field, before: shown(was), after: shown(is) }];
  });
}
