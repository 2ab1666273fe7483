// Derives the outcome of a change from what its operation loaded, answered and recorded. Pure.
import { errors } from "@svc/contract/errors.ts";
import type { NestedResult } from "../../platform/kernel/nested-operation.ts";
import type { Refusal } from "../../platform/wire/problem.ts";
import type { ChangeEffect, ChangeFields, ChangeInput, ChangeRefusal } from "./rules.ts";

/** Fields that are not reviewed: they follow from the others, or are assigned when the change is applied. */
const BESIDE = new Set(["revision", "updated_at", "capabilities", "number", "code", "description_excerpt", "counts"]);
const PLACING = ["position", "after_task_id", "before_task_id"];
const shown = (fields: ChangeFields, { set = {} }: ChangeInput): ChangeFields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name]) => !BESIDE.has(name) && (name !== "position" || PLACING.some((field) => field in set)),
    ),
  );

interface Related {
  task_id: string;
  kind: string;
  related_task: { id: string };
}
const relationOf = ({ task_id, kind, related_task }: Related): ChangeFields => ({
  task_id,
  kind,
  related_task_id: related_task.id,
});

/** The fields of the target before the change, with their names on the wire. */
function foundIn(target: unknown): ChangeFields {
  const { json, from_task_id, to_task_id, kind, revision } = target as Record<string, string>;
  if (json) return JSON.parse(json) as ChangeFields;
  // A relation, as seen from the Task that it starts at.
  if (from_task_id) return { task_id: from_task_id, kind, related_task_id: to_task_id };
  return { content_revision: revision };
}
const told = (answer: ChangeFields): ChangeFields =>
  "related_task" in answer
    ? relationOf(answer as unknown as Related)
    : "markdown" in answer && "content_revision" in answer
      ? { content_revision: answer.content_revision }
      : answer;

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Returns all fields of a created resource, all former fields of a deleted one, and otherwise the fields that differ.
 */
export function differenceOf(
  change: ChangeInput,
  { target, answer }: NestedResult,
): { before: ChangeFields | null; after: ChangeFields | null } {
  if (change.action.endsWith(".create")) return { before: null, after: shown(told(answer ?? {}), change) };
  const was = shown(foundIn(target), change);
  if (answer === null) return { before: was, after: null };
  const is = told(answer);
  const fields = Object.keys(was).filter((name) => name in is && !same(was[name], is[name]));
  const of = (from: ChangeFields) => Object.fromEntries(fields.map((name) => [name, from[name] ?? null]));
  return { before: of(was), after: of(is) };
}

/** Effects of a change on resources other than its target. */
export function touched({ target, answer, facts }: NestedResult): ChangeEffect[] {
  const own = new Set([(target as { id?: string } | null)?.id, answer?.id]);
  const effects = facts
    .filter(({ subject }) => !own.has(subject.id))
    .map(
      ({ type, subject }): ChangeEffect => ({
        kind: "change",
        action: type,
        target_kind: subject.kind,
        id: subject.id,
      }),
    );
  return [...new Map(effects.map((effect) => [JSON.stringify(effect), effect])).values()];
}

export const refusedWith = ({ code, extra }: Refusal): ChangeRefusal => ({
  code,
  detail: errors[code].detail,
  errors: (extra.errors ?? []).map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^\/body/, "/set") })),
  current_revision: extra.current_revision ?? null,
});
