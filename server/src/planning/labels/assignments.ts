// Labels of a Task, a Project or a Document: read, and replace as a whole. The target row is locked, so that its
// revision decides.
import * as contract from "@svc/contract/planning/labels/assignments.ts";
import { type Context, implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { documentCapabilities, taskCapabilities } from "../projects/access.ts";
import { changedTarget, type LabelledTarget, labelledTarget } from "./access.ts";
import { putLabels } from "./change.ts";

/** `labels` is the JSON array of the labels, in order. */
function answer(context: Context, target: LabelledTarget, ids: string[], labels: string, revision: string) {
  const { kind, id } = target;
  const fields = { target_kind: kind, target_id: id, label_ids: ids, revision };
  const json = `${JSON.stringify(fields).slice(0, -1)},"labels":${labels}}`;
  return render({ json, revision }, (kind === "document" ? documentCapabilities : taskCapabilities)(context, target));
}

export const getTargetLabels = implement(contract.getTargetLabels, labelledTarget(), async (context, { target }) => {
  if (context.principal.kind === "native" && target.kind !== "task") refuse("not_found");
  // Not the ids of the row, because it may still contain a label that is being deleted.
  const ids = (JSON.parse(target.json) as { id: string }[]).map(({ id }) => id);
  return answer(context, target, ids, target.json, target.revision);
});

export const replaceTargetLabels = implement(
  contract.replaceTargetLabels,
  changedTarget(),
  async (context, { target, body }) => {
    const { after, labels, revision } = await putLabels(context, target, body.label_ids);
    return answer(context, target, after, labels, revision);
  },
);
