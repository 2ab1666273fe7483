// Replaces the labels of a Task, a Project or a Document, for every operation. The target is locked; each label must be
// usable there, and is locked until the commit.
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import type { LabelledTarget } from "./access.ts";
import { labelsChanged } from "./events.ts";
import * as store from "./store.ts";

/**
 * The distinct given labels and their JSON, in the same order; refuses if one of them cannot be put on a target of this
 * kind in the Project.
 */
export async function requireLabels(
  { tx, member }: Context,
  { kind, project_id }: Pick<LabelledTarget, "kind" | "project_id">,
  given: readonly string[],
) {
  // Removes duplicates: the same id may be given twice.
  const after = [...new Set(given)];
  const found = after.length > 0 ? await store.usableLabels(tx, member.workspaceId, after, project_id, kind) : [];
  const usable = new Map(found.map((label) => [label.id, label.json]));
  if (usable.size < after.length) refuseLabels(given.map((label) => usable.has(label)));
  return { after, labels: `[${after.map((label) => usable.get(label)).join(",")}]` };
}

/** Replaces the target's labels; returns their ids, their JSON and the new revision. */
export async function putLabels(context: Context, target: LabelledTarget, given: readonly string[]) {
  if (target.trashed) refuse(target.kind === "document" ? "document_trashed" : "task_trashed");
  const { after, labels } = await requireLabels(context, target, given);
  if (isDeepStrictEqual(after, target.label_ids)) return { after, labels, revision: target.revision };
  replaceLabels(context, target, after);
  return { after, labels, revision: String(BigInt(target.revision) + 1n) };
}

/** Events for callers that update the Task or Document row themselves. */
export const { task: taskLabelsChanged, document: documentLabelsChanged } = labelsChanged;

/** The caller has validated the labels. */
export function replaceLabels({ tx, member, record, defer }: Context, target: LabelledTarget, after: string[]): void {
  const { kind, id, project_id, label_ids: before } = target;
  defer(store.replaceLabels(tx, member.workspaceId, kind, id, after));
  const subject = { kind, id, projectId: project_id, taskId: kind === "task" ? id : null };
  record(labelsChanged[kind](subject, { from: before, to: after }));
}

const refuseLabels = (usable: boolean[]): never =>
  refuse("invalid_reference", {
    errors: usable.flatMap((fits, index) =>
      fits
        ? []
        : [
            {
              pointer: `/body/label_ids/${index}`,
              code: "invalid_reference",
              detail: "must be a label of the Workspace or of this Project that can be put on this",
            },
          ],
    ),
  });
