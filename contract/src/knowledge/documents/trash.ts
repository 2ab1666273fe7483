// The trash of Documents: a Document is trashed with its descendants and restored with those that were trashed along. A
// trashed one can be deleted permanently.
import { op, S } from "../../kit.ts";
import { Document } from "./documents.ts";

export const trashDocument = op("DELETE /documents/{document_id}", "Move a Document to the trash", {
  description:
    "Moves the Document with everything below it. It becomes read-only, is left out of lists and is " +
    "unpublished. The path becomes free, and still finds it until another Document takes the path. A " +
    "Document that is already in the trash does not change.",
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived", "document_tree_too_large"],
});

export const restoreDocument = op("POST /documents/{document_id}/restore", "Restore a Document from the trash", {
  description:
    "Restores the Document with everything that was trashed with it; Documents below it that were " +
    "trashed before stay in the trash. It returns to its parent, or to the top if the parent is in the " +
    "trash or deleted. If its path is taken, it gets another one. A Document that is not in the trash " +
    "is returned unchanged.",
  auth: [S],
  ifMatch: "required",
  returns: Document,
  errors: ["project_archived", "document_too_deep"],
});

export const deleteDocument = op("DELETE /documents/{document_id}/permanent", "Delete a Document for ever", {
  description:
    "Only someone who manages the Documents there can delete a Document, and only from the trash, " +
    "together with everything that was trashed with it. Deletes their content, revisions, links and " +
    "files too.",
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived", "document_not_trashed"],
});
