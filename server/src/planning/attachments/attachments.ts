// Attachments: attach to a Project, list, read, download through a URL valid for five minutes, delete. The operations
// on one Task's attachments are in tasks/attachments. A file that waits for the scanner cannot be downloaded, and an
// attachment that the caller cannot see is not found.
import * as contract from "@svc/contract/planning/attachments/attachments.ts";
import { implement, implementList, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { capabilities, insideProject, project } from "../projects/access.ts";
import { type AttachmentTarget, attachment, attachmentCapabilities } from "./access.ts";
import { attachFile } from "./change.ts";
import { attachmentDeleted } from "./events.ts";
import { discardFile, giveFile, givePreview } from "./file-change.ts";
import { isGiven } from "./rules.ts";
import * as store from "./store.ts";
import { attachedView } from "./view.ts";

export const listProjectAttachments = implementList(
  contract.listProjectAttachments,
  insideProject("work:read"),
  (tx, { params, page }) => store.list(tx, "project_id", params.project_id, store.pageStart(page), page.limit + 1),
);
export const listProjectTaskAttachments = implementList(
  contract.listProjectTaskAttachments,
  insideProject("work:read"),
  (tx, { params, page }) => store.list(tx, "task_project_id", params.project_id, store.pageStart(page), page.limit + 1),
);

export const attachToProject = implement(
  contract.attachToProject,
  project("work:write"),
  async (context, { target, body }) => {
    const row = await attachFile(context, { kind: "project", id: target.id, projectId: target.id }, body.attachment_id);
    return attachedView(row, capabilities(context, target));
  },
);

export const getAttachment = implement(contract.getAttachment, attachment("read"), async (context, { target }) =>
  render(target, attachmentCapabilities(context, target)),
);

export const deleteAttachment = implement(
  contract.deleteAttachment,
  attachment("delete"),
  async (context, { target }) => {
    const { id, project_id: projectId, task_id: taskId, document_id } = target;
    discardFile(context, id);
    context.record(
      attachmentDeleted(
        { kind: "attachment", id, projectId, taskId },
        { task_id: taskId, project_id: projectId, document_id },
      ),
    );
  },
);

const withheld = { pending: "scan_pending", infected: "attachment_infected", failed: "scan_failed" } as const;
function requireGiven({ scan_state }: AttachmentTarget): void {
  if (!isGiven(scan_state)) refuse(withheld[scan_state]);
}

export const downloadAttachment = implementWithEffects(
  contract.downloadAttachment,
  attachment("read"),
  async (context, { target }) => {
    requireGiven(target);
    return giveFile(context, target);
  },
);

export const previewAttachment = implementWithEffects(
  contract.previewAttachment,
  attachment("read"),
  async (context, { target }) => {
    requireGiven(target);
    return givePreview(context, target);
  },
);
