// Which labels a Task or a Project bears: read, and replaced as a whole. The row that bears them is locked, so that its revision decides.
import * as contract from "@svc/contract/labels/assignments.ts";
import { type Context, implement } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import { capabilities } from "../projects/access.ts";
import { changedTarget, type LabelledTarget, labelledTarget } from "./access.ts";
import { labelsChanged } from "./events.ts";
import * as store from "./store.ts";

/** `labels` are JSON of the labels, in order. */
function answer(context: Context, target: LabelledTarget, ids: string[], labels: string, revision: string) {
  const { kind, id } = target;
  const fields = {
    target_kind: kind,
    target_id: id,
    label_ids: ids,
    revision,
    capabilities: capabilities(context, target),
  };
  return { json: `${JSON.stringify(fields).slice(0, -1)},"labels":${labels}}`, revision };
}

export const getTargetLabels = implement(contract.getTargetLabels, labelledTarget(), async (context, { target }) => {
  if (context.principal.kind === "native" && target.kind !== "task") refuse("not_found");
  // Not those of the row: one that is being deleted may still be among them.
  const ids = (JSON.parse(target.labels) as { id: string }[]).map(({ id }) => id);
  return answer(context, target, ids, target.labels, target.revision);
});

export const replaceTargetLabels = implement(
  contract.replaceTargetLabels,
  changedTarget(),
  async (context, { target, body }) => {
    const { tx, member, record, defer } = context;
    const { kind, id, project_id, label_ids: before } = target;
    if (target.trashed) refuse("task_trashed");
    // The same id in two spellings is one label.
    const after = [...new Set(body.label_ids)];
    const found = after.length > 0 ? await store.usableLabels(tx, member.workspaceId, after, project_id, kind) : [];
    const usable = new Map(found.map((label) => [label.id, label.json]));
    if (usable.size < after.length) refuseLabels(body.label_ids.map((label) => usable.has(label)));
    defer(store.replaceLabels(tx, member.workspaceId, kind, id, after));
    const subject = { kind, id, projectId: project_id, taskId: kind === "task" ? id : null };
    record(labelsChanged[kind](subject, { from: before, to: after }));
    const labels = `[${after.map((label) => usable.get(label)).join(",")}]`;
    return answer(context, target, after, labels, String(BigInt(target.revision) + 1n));
  },
);

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
