// The files of a Document.

import { list, M, op, S } from "../../kit.ts";
import { AttachmentRow, attaching, MOST_ATTACHED, notAttached } from "../../planning/attachments/attachments.ts";

export const listDocumentAttachments = list(
  "GET /documents/{document_id}/attachments",
  "List the attachments of a Document, newest first",
  { auth: [S, M], include: ["people", "project"], items: AttachmentRow },
);
export const attachToDocument = op("POST /documents/{document_id}/attachments", "Attach a file to a Document", {
  description:
    "Attaches a file that you have uploaded and that is not attached yet. It becomes visible to " +
    `everyone who sees the Document. A Document has at most ${MOST_ATTACHED}.`,
  auth: [S],
  ...attaching,
  errors: ["project_archived", ...notAttached, "document_trashed"],
});
