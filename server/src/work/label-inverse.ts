// Undoing a replacement of labels. A label that was deleted since would be gone in any case, and is left out.
import { settle } from "../kernel/context.ts";
import { changedTarget, type LabelledTarget } from "../labels/access.ts";
import { replaceLabels } from "../labels/change.ts";
import { usableLabels } from "../labels/store.ts";
import { conflict, each, hindered, type Inverse, movedOn, reach, same } from "./conflict.ts";

export const undoLabels: Inverse = each(async (context, done, change) => {
  const { tx, member } = context;
  const kind = done.kind as LabelledTarget["kind"];
  const { from = [], to = [] } = done.payload as { from?: string[]; to?: string[] };
  const project = done.here?.project_id ?? done.id;
  const [target, found] = await settle([
    reach(context, done, changedTarget(), { target_kind: kind, target_id: done.id }, change),
    usableLabels(tx, member.workspaceId, [...from, ...to], project, kind, change),
  ]);
  // Somebody has moved it since the command was looked at.
  if (target.project_id !== project) conflict([movedOn(done, "project_id")]);
  const usable = new Set(found.map(({ id }) => id));
  const today = (label_ids: string[]) => label_ids.filter((id) => usable.has(id));
  if (!same(target.label_ids, today(to))) conflict([movedOn(done, "label_ids")]);
  if (target.trashed) conflict([hindered(done, "", "task_trashed", "lies in the trash")]);
  return () => replaceLabels(context, target, today(from));
});
