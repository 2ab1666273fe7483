// Attachments on the wire. The query gives the attachment as a.
import { AttachmentRow } from "@svc/contract/attachments/attachments.ts";
import { view } from "../kernel/view.ts";

export const attachmentView = view(AttachmentRow, "a", {
  sha256: "encode(a.sha256, 'hex')",
  project_id: "case when a.task_id is null then a.project_id else a.task_project_id end",
});
