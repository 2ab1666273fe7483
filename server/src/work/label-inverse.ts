// Undoing a replacement of labels. A label that was deleted since would be gone in any case, and is left out.
import { settle } from "../kernel/context.ts";
import { changedTarget, type LabelledTarget } from "../labels/access.ts";
import { putLabels } from "../labels/change.ts";
import { labelsToday } from "../labels/store.ts";
import { conflict, type Inverse, movedOn, reach, same, withoutHindrance } from "./conflict.ts";

export const undoLabels: Inverse = async (context, done) => {
  for (const each of done) {
    const kind = each.kind as LabelledTarget["kind"];
    const { from = [], to = [] } = each.payload;
    const [target, today] = await settle([
      reach(context, each, changedTarget(), { target_kind: kind, target_id: each.id }),
      labelsToday(context.tx, context.member.workspaceId, kind, each.id, from, to),
    ]);
    if (!same(target.label_ids, today?.made)) conflict([movedOn(each, "label_ids")]);
    await withoutHindrance(each, () => putLabels(context, target, today?.was ?? []));
  }
};
