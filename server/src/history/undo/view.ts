// Receipts on the wire: the effects of a command, without the ids of resources that its author can no longer read.
import type { OperationReceipt } from "@svc/contract/history/undo/receipts.ts";
import type { Static } from "typebox";
import { isUndone, traces } from "./rules.ts";
import type { Command, RecordedEffect } from "./store.ts";

const [UNDO, REDO] = [["command:undo"], ["command:redo"]] as const;
type Receipt = Static<typeof OperationReceipt>;

const effectView = ({ type, kind, id, seen, code }: RecordedEffect) => ({
  action: type,
  type,
  kind,
  resource_type: kind,
  resource_id: seen ? id : null,
  code,
});

export function receiptView(command: Command, undo: Receipt["undo"], redo: Receipt["redo"]): Receipt {
  const { id, operation, credential_kind, occurred_at, undoes } = command;
  const effects = command.effects.map(effectView);
  const [first] = effects;
  const single = first && new Set(command.effects.map((effect) => effect.id)).size === 1;
  return {
    id,
    operation,
    state: isUndone(command) ? "undone" : "committed",
    credential_kind,
    kind: single ? first.kind : null,
    resource_type: single ? first.kind : null,
    resource_id: single ? first.resource_id : null,
    occurred_at,
    effects,
    undo,
    redo,
    undoes,
    ...traces(command),
    capabilities: [...(undo.possible ? UNDO : []), ...(redo.possible ? REDO : [])],
  };
}
