// Undo and redo of the caller's own writes.
import { op, S } from "../../kit.ts";
import { OperationReceipt, refusals } from "./receipts.ts";

const own = { auth: [S], private: true, returns: OperationReceipt } as const;

export const undoCommand = op("POST /commands/{command_id}/undo", "Undo a command of yours", {
  description:
    "By the X-Svc-Command-ID of the write; as POST .../operation-receipts/undo. Of several at once one succeeds. " +
    "`errors` of undo_conflict point to the effects that are in the way, as the receipt of what is taken back " +
    "counts them: that of the command, or of what redid it last.",
  ...own,
  errors: [...refusals, "already_undone"],
});

export const redoCommand = op("POST /commands/{command_id}/redo", "Redo a command that you have undone", {
  description:
    "By the id of the command that was undone, not of the one that undid it. On the same condition: " +
    "all that the undoing made is still so. `errors` of undo_conflict point to the effects of what undid it.",
  ...own,
  errors: [...refusals, "not_undone"],
});
