// Undo and redo of the caller's own writes.
import { op, S } from "../../kit.ts";
import { OperationReceipt, refusals } from "./receipts.ts";

const own = { auth: [S], private: true, returns: OperationReceipt } as const;

export const undoCommand = op("POST /commands/{command_id}/undo", "Undo a command of yours", {
  description:
    "Takes the X-Svc-Command-ID of the write, and works like POST .../operation-receipts/undo. Only " +
    "one of several concurrent requests succeeds. `errors` of undo_conflict point to the conflicting " +
    "effects, by their index in the receipt of the command to be undone: that of the command, or of " +
    "its latest redo.",
  ...own,
  errors: [...refusals, "already_undone"],
});

export const redoCommand = op("POST /commands/{command_id}/redo", "Redo a command that you have undone", {
  description:
    "Takes the id of the command that was undone, not of the one that undid it. Refused if a result of " +
    "the undo has changed since. `errors` of undo_conflict point to the effects of the command that " +
    "undid it.",
  ...own,
  errors: [...refusals, "not_undone"],
});
