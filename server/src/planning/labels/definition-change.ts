// What every change of a label and of how a Project shows it does, whichever operation asks for it. It is locked, and that the caller may is found
// out before.
import type { Context } from "../../platform/kernel/implement.ts";
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

/** `before` has all of its fields, `changed` those that are to be different. */
export function changeLabel({ tx, member, record }: Context, target: LabelTarget, before: Fields, changed: Fields) {
  record(labelUpdated(subjectOf(target), turned(before, changed, target.revision)));
  return store.updateLabel(tx, member.workspaceId, target.id, changed);
}

/** Takes it off all that bears it: the first of that at once, the rest in the background. `stripped` says whether there was any. */
export async function dropLabel(context: Context, target: LabelTarget): Promise<void> {
  const { tx, member, principal, commandId, record, enqueue } = context;
  const { workspaceId, actorId } = member;
  const author = { actorId, userId: principal.userId, source: principal.kind, commandId };
  const { stripped, left } = await store.deleteLabel(tx, workspaceId, target.id, author);
  if (left) enqueue("strip_label", { workspace_id: workspaceId, label_id: target.id, author });
  record(labelDeleted(subjectOf(target), { stripped: stripped > 0 || left }));
}

/** One that nothing bears and no Project shows in its own way. */
export function dropUnused({ tx, member, record, defer }: Context, target: LabelTarget): void {
  defer(store.dropLabel(tx, member.workspaceId, target.id));
  record(labelDeleted(subjectOf(target), { stripped: false }));
}
export function reviveLabel({ tx, member, record, defer }: Context, target: LabelTarget): void {
  defer(store.reviveLabel(tx, member.workspaceId, target.id));
  record(labelRestored(subjectOf(target), { restored: true }));
}

/** How a Project shows it: in its own way, or with null as the Workspace does. */
export function showLabel({ tx, member, record }: Context, target: OverrideTarget, after: store.Override | null) {
  const { project_id, label_id, before } = target;
  const fact = after ? labelOverrideReplaced : labelOverrideDeleted;
  record(fact({ kind: "label", id: label_id, projectId: project_id }, { from: before, to: after }));
  return store.putOverride(tx, member.workspaceId, project_id, label_id, after);
}
