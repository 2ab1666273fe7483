// Receipts: the outcome of a write, and its undo by receipt.
import * as contract from "@svc/contract/history/undo/receipts.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { commandNamed, receipt } from "./access.ts";
import { compensate, receiptOf } from "./compensation.ts";

export const getOperationReceipt = implement(contract.getOperationReceipt, receipt(), async (context, { target }) =>
  receiptOf(context, target),
);

export const undoOperation = implement(
  contract.undoOperation,
  workspace("workspace:read"),
  async (context, { body }) => {
    const command = await commandNamed(context.tx, body.id);
    if (!command) return refuseAt("/body/id", "not_found", "must be the id or the key of a write of yours");
    return compensate(context, command, "undo", contract.undoOperation.id);
  },
);
