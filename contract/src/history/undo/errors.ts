// Codes of undoing and redoing: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const workErrors = {
  undo_conflict: entry(
    409,
    "Results have changed",
    "A result of the command has changed since, or cannot be restored: `errors` lists which. Nothing " + "was changed.",
  ),
  not_undoable: entry(409, "Cannot be undone", "This command cannot be undone; make the change manually."),
  already_undone: entry(409, "Already undone", "The command is undone; redo it before you undo it again."),
  not_undone: entry(409, "Not undone", "Only a command that is undone can be redone."),
} as const;
