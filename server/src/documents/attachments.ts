// The files of a Document: list, attach.
import * as contract from "@svc/contract/documents/attachments.ts";
import { attachFile } from "../attachments/change.ts";
import { list, pageStart } from "../attachments/store.ts";
import { attachedView } from "../attachments/view.ts";
import { implement, implementList } from "../kernel/implement.ts";
import { capabilities } from "../projects/access.ts";
import { refuse } from "../wire/problem.ts";
import { document, insideDocument } from "./access.ts";

export const listDocumentAttachments = implementList(
  contract.listDocumentAttachments,
  insideDocument("documents:read"),
  (tx, { params, page }) => list(tx, "document_id", params.document_id, pageStart(page), page.limit + 1),
);

export const attachToDocument = implement(
  contract.attachToDocument,
  document("documents:write"),
  async (context, { target, body }) => {
    if (target.trashed) refuse("document_trashed");
    const { id, project_id } = target;
    const row = await attachFile(context, { kind: "document", id, projectId: project_id }, body.attachment_id);
    return attachedView(row, capabilities(context, target));
  },
);
