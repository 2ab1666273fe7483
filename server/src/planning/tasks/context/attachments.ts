// Attachments of a Task: list, attach.
import * as contract from "@svc/contract/planning/tasks/context/attachments.ts";
import { implement, implementList } from "../../../platform/kernel/implement-operation.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { attachFile } from "../../attachments/change.ts";
import { list, pageStart } from "../../attachments/store.ts";
import { attachedView } from "../../attachments/view.ts";
import { capabilities } from "../../projects/access.ts";
import { insideTask, task } from "../access.ts";

export const listTaskAttachments = implementList(
  contract.listTaskAttachments,
  insideTask("work:read"),
  (tx, { params, page }) => list(tx, "task_id", params.task_id, pageStart(page), page.limit + 1),
);

export const attachToTask = implement(contract.attachToTask, task("work:write"), async (context, { target, body }) => {
  if (target.trashed) refuse("task_trashed");
  const row = await attachFile(
    context,
    { kind: "task", id: target.id, projectId: target.project_id },
    body.attachment_id,
  );
  return attachedView(row, capabilities(context, target));
});
