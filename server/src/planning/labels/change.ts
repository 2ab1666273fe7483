// How labels are put on a Task, a Project or a Document, in place of all that it bears, whichever operation asks for it. What bears them is locked; each of
// them must be usable there, and is held until the commit.
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../platform/kernel/implement.ts";
import { refuse } from "../../platform/wire/problem.ts";
import type { LabelledTarget } from "./access.ts";
import { labelsChanged } from "./events.ts";
import * as store from "./store.ts";

/** The labels that are given, each once, and what they look like as JSON, in the same order, where something of this kind in the Project may bear all of them. */
export async function requireLabels(
  { tx, member }: Context,
  { kind, project_id }: Pick<LabelledTarget, "kind" | "project_id">,
  given: readonly string[],
) {
  // The same id in two spellings is one label.
  const after = [...new Set(given)];
  const found = after.length > 0 ? await store.usableLabels(tx, member.workspaceId, after, project_id, kind) : [];
  const usable = new Map(found.map((label) => [label.id, label.json]));
  if (usable.size < after.length) refuseLabels(given.map((label) => usable.has(label)));
  return { after, labels: `[${after.map((label) => usable.get(label)).join(",")}]` };
}

/** The labels that it bears afterwards, what they look like, and its revision then. */
export async function putLabels(context: Context, target: LabelledTarget, given: readonly string[]) {
  if (target.trashed) refuse(target.kind === "document" ? "document_trashed" : "task_trashed");
  const { after, labels } = await requireLabels(context, target, given);
  if (isDeepStrictEqual(after, target.label_ids)) return { after, labels, revision: target.revision };
  replaceLabels(context, target, after);
  return { after, labels, revision: String(BigInt(target.revision) + 1n) };
}

/** Of a Task or a Document, for those who write its row themselves. */
export const { task: taskLabelsChanged, document: documentLabelsChanged } = labelsChanged;

/** Once it is found that it can bear them. */
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
