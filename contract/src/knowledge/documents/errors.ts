// Codes of Documents: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const documentErrors = {
  document_trashed: entry(409, "Document is in the trash", "Restore the Document first: in the trash it is read-only."),
  document_not_trashed: entry(409, "Document is not in the trash", "Put the Document into the trash first."),
  document_too_deep: entry(422, "Too many levels", "Choose a parent further up: there are at most 20 levels."),
  document_too_large: entry(422, "Document too large", "Split it: as Markdown it has at most 262,144 characters."),
  document_too_complex: entry(
    422,
    "Document too complex",
    "Use less formatting and nesting, or split it into several Documents.",
  ),
  document_tree_too_large: entry(
    422,
    "Too many Documents at once",
    "Move or trash smaller parts of the tree: one Document takes at most 10,000 below it along.",
  ),
} as const;
