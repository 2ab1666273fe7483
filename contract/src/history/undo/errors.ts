// Codes of undoing and redoing: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const workErrors = {
  undo_conflict: entry(
    409,
    "Things have moved on",
    "What the command made is not so any more, or cannot be put back: `errors` says which parts. Nothing was changed.",
  ),
  not_undoable: entry(
    409,
    "Cannot be undone",
    "There is no way back from what this command did; make the change by hand.",
  ),
  already_undone: entry(409, "Already undone", "The command is undone; redo it before you undo it again."),
  not_undone: entry(409, "Not undone", "Only a command that is undone can be redone."),
} as const;
