// Changes of labels and of their Project overrides, shared by every operation. The caller has locked the row and
// checked the permission.
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { turned } from "../projects/rules.ts";
import type { LabelTarget, OverrideTarget } from "./access.ts";
import { labelDeleted, labelOverrideDeleted, labelOverrideReplaced, labelRestored, labelUpdated } from "./events.ts";
import * as store from "./store.ts";

type Fields = Record<string, unknown>;
const subjectOf = ({ id, project_id }: Pick<LabelTarget, "id" | "project_id">) => ({
  kind: "label",
  id,
  projectId: project_id,
});

/** `before` holds all fields, `changed` those with a new value. */
export function changeLabel({ tx, member, record }: Context, target: LabelTarget, before: Fields, changed: Fields) {
  record(labelUpdated(subjectOf(target), turned(before, changed, target.revision)));
  return store.updateLabel(tx, member.workspaceId, target.id, changed);
}

/**
 * Deletes the label and removes it from its targets: the first page at once, the rest in the background. `stripped`
 * says whether it had any.
 */
export async function dropLabel(context: Context, target: LabelTarget): Promise<void> {
  const { tx, member, principal, commandId, record, enqueue } = context;
  const { workspaceId, actorId } = member;
  const author = { actorId, userId: principal.userId, source: principal.kind, commandId };
  const { stripped, left } = await store.deleteLabel(tx, workspaceId, target.id, author);
  if (left) enqueue("strip_label", { workspace_id: workspaceId, label_id: target.id, author });
  record(labelDeleted(subjectOf(target), { stripped: stripped > 0 || left }));
}

/** Deletes a label that has no assignment and no override. */
export function dropUnused({ tx, member, record, defer }: Context, target: LabelTarget): void {
  defer(store.dropLabel(tx, member.workspaceId, target.id));
  record(labelDeleted(subjectOf(target), { stripped: false }));
}
export function reviveLabel({ tx, member, record, defer }: Context, target: LabelTarget): void {
  defer(store.reviveLabel(tx, member.workspaceId, target.id));
  record(labelRestored(subjectOf(target), { restored: true }));
}

/** Sets a Project's override of the label; null removes it. */
export function showLabel({ tx, member, record }: Context, target: OverrideTarget, after: store.Override | null) {
  const { project_id, label_id, before } = target;
  const fact = after ? labelOverrideReplaced : labelOverrideDeleted;
  record(fact({ kind: "label", id: label_id, projectId: project_id }, { from: before, to: after }));
  return store.putOverride(tx, member.workspaceId, project_id, label_id, after);
}
