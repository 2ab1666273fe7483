// The trash of Documents: a Document is trashed with its descendants and restored with those that were trashed along. A
// trashed one can be deleted permanently.
import { op, S } from "../../kit.ts";
import { Document } from "./documents.ts";

export const trashDocument = op("DELETE /documents/{document_id}", "Put a Document into the trash", {
  description:
    "With all that is below it. It is only read from now on, is in no list, and is not published any more; " +
    "its path is free for others and leads to it while nobody else has it. " +
    "One that is in the trash already stays so.",
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived", "document_tree_too_large"],
});

export const restoreDocument = op("POST /documents/{document_id}/restore", "Take a Document out of the trash", {
  description:
    "With all that went along with it: what was thrown away before stays there. It stands below its parent again, " +
    "or at the top where that one is in the trash or gone. Where its path is taken meanwhile, it gets another " +
    "one. One that is not in the trash is answered as it is.",
  auth: [S],
  ifMatch: "required",
  returns: Document,
  errors: ["project_archived", "document_too_deep"],
});

export const deleteDocument = op("DELETE /documents/{document_id}/permanent", "Delete a Document for ever", {
  description:
    "Only from the trash, with all that went there along with it, and only by who manages the Documents there. " +
    "Their content, revisions, links and files go too.",
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived", "document_not_trashed"],
});
