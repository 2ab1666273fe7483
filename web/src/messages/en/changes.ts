// English messages of ChangeSets.
export const changes = {
  "shell.changes": "ChangeSets",
  "changes.title": "ChangeSets",
  "changes.open": "Wait for you",
  "changes.decided": "Decided",
  "changes.none": "Nothing waits for your decision",
  "changes.noneDecided": "Nothing was decided yet",
  "changes.noneHelp":
    "What an assistant proposes in your name appears here. Nothing of it happens before you approve it.",
  "changes.count.one": "{count} change",
  "changes.count.other": "{count} changes",
  "changes.until": "open until {when}",
  "changes.draft": "Cannot be done as it is",
  "changes.proposed": "Waits for your review",
  "changes.approved": "Approved, not applied yet",
  "changes.rejected": "Rejected",
  "changes.applied": "Applied",
  "changes.stale": "Things have moved on",
  "changes.expired": "Expired",
  "changes.back": "All ChangeSets",
} as const;
