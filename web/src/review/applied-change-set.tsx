// Result of an applied ChangeSet, with undo, as its current receipt reports it; somebody else's change may end the undo
// at any moment.

import type { Operations, Problem } from "@svc/client";
import { useCallback, useEffect, useState } from "react";
import { Alert, Button, Loading } from "../account/page-elements.tsx";
import { svc } from "../account/svc.ts";
import { say } from "../messages/t.ts";

type Receipt = Awaited<ReturnType<Operations["getOperationReceipt"]>>;

/** Reads the receipt of a command, and undoes the command. */
export function useReceipt(workspaceId: string, commandId: string) {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  // All attempts reuse one idempotency key, so the undo happens once.
  const [key] = useState(() => `undo-${crypto.randomUUID()}`);
  const read = useCallback(
    () => svc.getOperationReceipt({ workspace_id: workspaceId, id: commandId }).then(setReceipt, setProblem),
    [workspaceId, commandId],
  );
  useEffect(() => void read(), [read]);
  async function undo() {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    await svc.undoCommand({ command_id: commandId }, { key }).catch(setProblem);
    await read();
    setBusy(false);
  }
  return { receipt, problem, busy, undo };
}

export function Done({ workspaceId, commandId }: { workspaceId: string; commandId: string }) {
  const { receipt, problem, busy, undo } = useReceipt(workspaceId, commandId);
  if (!receipt) return problem ? <Alert problem={problem} /> : <Loading lines={1} />;
  const { state, undo: back } = receipt;
  return (
    <div role="status">
      {problem && <Alert problem={problem} />}
      {state === "undone" && <p>{say("You have undone all of it.")}</p>}
      {state === "committed" && back.possible && (
        <Button busy={busy} onClick={undo}>
          {say("Undo all of it")}
        </Button>
      )}
      {state === "committed" && !back.possible && (
        <p className="text-soft">
          {say("It cannot be undone any more:")} {back.errors[0]?.detail ?? say("something has changed since")}.
        </p>
      )}
    </div>
  );
}
