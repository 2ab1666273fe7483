// Codes of Document patches and ChangeSets: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const changeErrors = {
  document_patch_conflict: entry(
    409,
    "Patch overlaps with a change",
    "The Document has changed where the patch edits it: `errors` lists the edits. Read it again and " +
      "draft them anew.",
  ),
  digest_mismatch: entry(409, "Other digest", "This is not the digest of this version. Read the version and check it."),
  change_set_not_approved: entry(
    409,
    "Not approved",
    "The initiator has to approve this version first: open its review_url in a browser.",
  ),
  change_set_closed: entry(
    409,
    "Version is closed",
    "It is applied, rejected, expired or replaced: `errors` says which. Read the newest version, " +
      "or propose the next one.",
  ),
  change_set_stale: entry(
    409,
    "Resources have changed",
    "A resource that it depends on has changed: `errors` lists them. Propose the next version on the " +
      "current revisions. Nothing was changed.",
  ),
  change_set_refused: entry(
    409,
    "A change is refused",
    "`errors` lists the refused changes and the reasons. Propose the next version without them. " +
      "Nothing was changed.",
  ),
  evidence_unavailable: entry(
    409,
    "Evidence is not available",
    "You cannot currently read all of its pinned evidence: `errors` lists it. Capture it again, or " +
      "propose without it.",
  ),
} as const;
