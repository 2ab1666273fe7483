// Codes of Document patches and ChangeSets: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const changeErrors = {
  document_patch_conflict: entry(
    409,
    "Patch overlaps with a change",
    "The Document has changed where the patch edits it: `errors` says which edits. Read it again and draft them anew.",
  ),
  digest_mismatch: entry(
    409,
    "Other digest",
    "This is not the digest of this version. Read the version and look at it.",
  ),
  change_set_not_approved: entry(
    409,
    "Not approved",
    "Its initiator has to approve this version first: open its review_url in a browser.",
  ),
  change_set_closed: entry(
    409,
    "Version is closed",
    "It is applied, rejected, expired or replaced: `errors` says which. Read the newest version, " +
      "or propose the next one.",
  ),
  change_set_stale: entry(
    409,
    "Things have moved on",
    "What it builds on has changed: `errors` says where. Propose the next version on the present revisions. " +
      "Nothing was changed.",
  ),
  change_set_refused: entry(
    409,
    "A change is refused",
    "`errors` says which, and why. Propose the next version without it. Nothing was changed.",
  ),
  evidence_unavailable: entry(
    409,
    "Evidence is not available",
    "You cannot read all of its pinned evidence now: `errors` says which. Capture it anew, or propose without it.",
  ),
} as const;
