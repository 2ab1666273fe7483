// Wire representation of attachments. The query must provide the attachment as a.
import { AttachmentRow } from "@svc/contract/planning/attachments/attachments.ts";
import { view } from "../../platform/database/view.ts";
import { render } from "../../platform/kernel/view.ts";
import type { WorkCapability } from "../projects/rules.ts";
import { type AttachmentFacts, available } from "./rules.ts";

export const attachmentView = view(AttachmentRow, "a", {
  sha256: "encode(a.sha256, 'hex')",
  project_id: `case when a.task_id is not null then a.task_project_id
    when a.document_id is null then a.project_id
    else (select d.project_id from documents d where d.workspace_id = a.workspace_id and d.id = a.document_id) end`,
});

/** Renders a file that its uploader has just attached. */
export const attachedView = (
  row: { json: string; revision: string } & Omit<AttachmentFacts, "attached" | "own">,
  work: readonly WorkCapability[],
) => render(row, available(work, { ...row, attached: true, own: true }));
