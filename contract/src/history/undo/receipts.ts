// Operation receipts record the outcome of a write. A caller that lost the answer reads the receipt before it retries.
// A receipt is private to the caller that made the write.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, ReceiptId, single, TaskCode, Timestamp } from "../../types.ts";

export const OperationEffect = object({
  action: Type.String({ description: "Domain event, such as task.status_changed." }),
  type: Type.String({ description: "Former name of action." }),
  kind: Type.String({ description: "Kind of the changed resource, such as task." }),
  resource_type: Type.String({ description: "Former name of kind." }),
  resource_id: { ...nullable(Id), description: "Id; null if the resource is deleted, or you can no longer read it." },
  code: { ...nullable(TaskCode), description: "Current code of the Task." },
});

/** Whether the action is possible, else the code that it would be refused with now, and the conflicts. */
const Possible = object({
  possible: Type.Boolean(),
  reason: nullable(Type.Enum(["already_undone", "not_undone", "not_undoable", "undo_conflict", "forbidden"])),
  errors: Type.Array(object({ pointer: Type.String(), code: Type.String(), detail: Type.String() }), {
    description: "Errors that undoing would have now: each conflict, with the index of its effect.",
  }),
});

export const OperationReceipt = single(
  object({
    id: { ...Id, description: "Id of the command: the X-Svc-Command-ID of the write." },
    operation: Type.String({ description: "The operationId, such as updateTask." }),
    state: Type.Enum(["committed", "undone"]),
    credential_kind: nullable(Type.String()),
    kind: nullable(Type.String()),
    resource_type: { ...nullable(Type.String()), description: "Former name of kind." },
    resource_id: {
      ...nullable(Id),
      description: "Id of the resource, if the command has a single one that you can read.",
    },
    occurred_at: Timestamp,
    effects: Type.Array(OperationEffect, { description: "Effects in the order in which they happened." }),
    undo: {
      ...Possible,
      description:
        "Whether it can be undone now, by the rules of undoing itself; later changes by others may alter " + "this.",
    },
    redo: Possible,
    undoes: { ...nullable(Id), description: "Command that this one undid." },
    undone_by: { ...nullable(Id), description: "Latest command that undid this one." },
    redone_by: { ...nullable(Id), description: "Command that redid it after that." },
  }),
);

/** Error codes of undo and redo. */
export const refusals = ["undo_conflict", "not_undoable"] as const;

export const getOperationReceipt = op(
  "GET /workspaces/{workspace_id}/operation-receipts/{id}",
  "Read the receipt of your write",
  {
    description:
      "Takes the command's id, or for 24 hours the Idempotency-Key of the write; if several writes have " +
      "one key, it returns the last. 404 means that no such write was committed in this Workspace: send " +
      "it again, with the same key. Only the person who made the write can read it, with any credential. " +
      "Resources that you can no longer read have no id.",
    auth: [S],
    returns: OperationReceipt,
  },
);

export const undoOperation = op("POST /workspaces/{workspace_id}/operation-receipts/undo", "Undo your write", {
  description:
    "Reverts the effects of the write if none of them has changed since; other later changes remain. " +
    "This reference states for every write whether it can be undone, and its receipt whether it can be " +
    "undone now. To undo a creation, the Task moves to the trash, the entry is voided, or the comment, " +
    "or the empty Project, Milestone, label, Status or state, is deleted. Undoing is a write like any " +
    "other, by the current rules and your current rights, and reverts everything or nothing. Returns " +
    "its own receipt; undo that command to redo.",
  auth: [S],
  private: true,
  body: object({ id: ReceiptId }),
  example: { id: "01980000-0000-7000-8000-000000000001" },
  returns: OperationReceipt,
  errors: [...refusals, "already_undone"],
});
