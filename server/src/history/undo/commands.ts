// Undo and redo of a command by its id.
import * as contract from "@svc/contract/history/undo/commands.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { command } from "./access.ts";
import { compensate } from "./compensation.ts";

export const undoCommand = implement(contract.undoCommand, command(), async (context, { target }) =>
  compensate(context, target, "undo", contract.undoCommand.id),
);

export const redoCommand = implement(contract.redoCommand, command(), async (context, { target }) =>
  compensate(context, target, "redo", contract.redoCommand.id),
);
