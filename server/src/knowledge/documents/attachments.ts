// The files of a Document: list and attach.
import * as contract from "@svc/contract/knowledge/documents/attachments.ts";
import { attachFile } from "../../planning/attachments/change.ts";
import { list, pageStart } from "../../planning/attachments/store.ts";
import { attachedView } from "../../planning/attachments/view.ts";
import { capabilities } from "../../planning/projects/access.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
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
