// Inverse of replacing the labels of a Project; those of a Task are restored with its other fields. A label deleted
// since is left out: the Project would have lost it anyway.
import { changedTarget } from "../../../planning/labels/access.ts";
import { replaceLabels } from "../../../planning/labels/change.ts";
import { usableLabels } from "../../../planning/labels/store.ts";
import { settle } from "../../../platform/kernel/context.ts";
import { conflict, each, type Inverse, movedOn, reach, same } from "../conflict.ts";

export const undoProjectLabels: Inverse = each(async (context, done, change) => {
  const { tx, member } = context;
  const { from = [], to = [] } = done.payload as { from?: string[]; to?: string[] };
  const [target, found] = await settle([
    reach(context, done, changedTarget(), { target_kind: "project", target_id: done.id }, change),
    usableLabels(tx, member.workspaceId, [...from, ...to], done.id, "project", change),
  ]);
  const usable = new Set(found.map(({ id }) => id));
  const today = (label_ids: string[]) => label_ids.filter((id) => usable.has(id));
  if (!same(target.label_ids, today(to))) conflict([movedOn(done, "label_ids")]);
  return () => replaceLabels(context, target, today(from));
});
