// Operation receipts record the outcome of a write. A caller that lost the answer reads the receipt before it retries.
// A receipt is private to the caller that made the write.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, ReceiptId, single, TaskCode, Timestamp } from "../../types.ts";

export const OperationEffect = object({
  action: Type.String({ description: "The domain event, such as task.status_changed." }),
  type: Type.String({ description: "The same as action, by its older name." }),
  kind: Type.String({ description: "Of what was changed, such as task." }),
  resource_type: Type.String({ description: "The same as kind, by its older name." }),
  resource_id: { ...nullable(Id), description: "Null where it is gone, or you cannot read it any more." },
  code: { ...nullable(TaskCode), description: "Of the Task that it is about, as it is now." },
});

/** Whether the action is possible, else the code that it would be refused with now, and the conflicts. */
const Possible = object({
  possible: Type.Boolean(),
  reason: nullable(Type.Enum(["already_undone", "not_undone", "not_undoable", "undo_conflict", "forbidden"])),
  errors: Type.Array(object({ pointer: Type.String(), code: Type.String(), detail: Type.String() }), {
    description: "As the refusal would have them: what is in the way, and of which effect.",
  }),
});

export const OperationReceipt = single(
  object({
    id: { ...Id, description: "Of the command: the X-Svc-Command-ID of the write." },
    operation: Type.String({ description: "The operationId, such as updateTask." }),
    state: Type.Enum(["committed", "undone"]),
    credential_kind: nullable(Type.String()),
    kind: nullable(Type.String()),
    resource_type: { ...nullable(Type.String()), description: "The same as kind, by its older name." },
    resource_id: { ...nullable(Id), description: "What it was about, where that is one thing which you can read." },
    occurred_at: Timestamp,
    effects: Type.Array(OperationEffect, { description: "In the order in which they happened." }),
    undo: {
      ...Possible,
      description: "As things stand now, by the same rules as undoing itself: others may change them before you undo.",
    },
    redo: Possible,
    undoes: { ...nullable(Id), description: "The command that this one took back." },
    undone_by: { ...nullable(Id), description: "The command that took this one back last." },
    redone_by: { ...nullable(Id), description: "The command that made it again after that." },
  }),
);

/** Error codes of undo and redo. */
export const refusals = ["undo_conflict", "not_undoable"] as const;

export const getOperationReceipt = op(
  "GET /workspaces/{workspace_id}/operation-receipts/{id}",
  "Find out what became of a write of yours",
  {
    description:
      "By the command's id, or by the Idempotency-Key that the write was sent with, for 24 hours; " +
      "of several writes with one key the last. 404 says that no such write was committed in this Workspace: " +
      "send it again, with the same key. Only who made the write finds it, with whichever credential it was " +
      "made. What you cannot read any more is named without its id.",
    auth: [S],
    returns: OperationReceipt,
  },
);

export const undoOperation = op("POST /workspaces/{workspace_id}/operation-receipts/undo", "Undo a write of yours", {
  description:
    "Takes back what the write did, if all of it is still so; what else has changed meanwhile stays. " +
    "Every write says in this reference whether it can be undone, and its receipt whether it can be now. " +
    "A creation is undone by putting the Task into the trash, voiding the entry, or deleting the comment, " +
    "or the Project, Milestone, label, Status or state that nothing is in. It is a write like any other, " +
    "under today's rules and your present rights: all of it happens or nothing. " +
    "Answers with its own receipt, and undoing that is redoing.",
  auth: [S],
  private: true,
  body: object({ id: ReceiptId }),
  example: { id: "01980000-0000-7000-8000-000000000001" },
  returns: OperationReceipt,
  errors: [...refusals, "already_undone"],
});
