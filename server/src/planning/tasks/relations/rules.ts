// Pure rules: the type of a relation as seen from either end, and its stored form.
import type { RelationType } from "@svc/contract/planning/tasks/relations/relations.ts";
import type { Static } from "typebox";

export type Type = Static<typeof RelationType>;
/** The stored types, which read from the first end to the second. */
export type RelationKind = "blocks" | "relates_to" | "duplicates" | "parent_of";

const kinds: Record<Type, RelationKind> = {
  blocks: "blocks",
  blocked_by: "blocks",
  relates_to: "relates_to",
  duplicates: "duplicates",
  duplicated_by: "duplicates",
  parent_of: "parent_of",
  child_of: "parent_of",
};
const inverses: Record<RelationKind, Type> = {
  blocks: "blocked_by",
  relates_to: "relates_to",
  duplicates: "duplicated_by",
  parent_of: "child_of",
};

export interface Ends {
  kind: RelationKind;
  from: string;
  to: string;
}
/** Stored form of a type as seen from the first of two Tasks. */
export function endsOf(type: Type, taskId: string, otherId: string): Ends {
  const kind = kinds[type];
  return kind === type ? { kind, from: taskId, to: otherId } : { kind, from: otherId, to: taskId };
}

/** The type as seen from one of the two ends. */
export const typeSeen = ({ kind, from }: Ends, taskId: string): Type => (from === taskId ? kind : inverses[kind]);
/** SQL counterpart of `typeSeen`, for a relation r. */
export const typeSeenSql = (taskId: string) => `
case when r.from_task_id = ${taskId} then r.kind else case r.kind ${Object.entries(inverses)
  .map(([kind, inverse]) => `when '${kind}' then '${inverse}'`)
  .join(" ")} end end`;

export const isBlocking = (type: Type) => kinds[type] === "blocks";
/** Whether both are the same relation; `relates_to` is symmetric. */
export const same = (one: Ends, other: Ends) =>
  one.kind === other.kind && (one.from === other.from || one.kind === "relates_to");
