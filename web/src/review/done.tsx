// What became of a ChangeSet that was applied, and the way back: as its receipt says now, which others may have changed by the next moment.

import { useCallback, useEffect, useState } from "react";
import { call, type Problem } from "../api.ts";
import { say } from "../messages/t.ts";
import { Alert, Button, Loading } from "../parts.tsx";

interface Receipt {
  state: "committed" | "undone";
  undo: { possible: boolean; errors: { detail: string }[] };
}

export function Done({ workspaceId, commandId }: { workspaceId: string; commandId: string }) {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  // The same one for every attempt: it is undone once.
  const [key] = useState(() => `undo-${crypto.randomUUID()}`);
  const read = useCallback(
    () =>
      call<Receipt>("GET", `/workspaces/${workspaceId}/operation-receipts/${commandId}`).then(setReceipt, setProblem),
    [workspaceId, commandId],
  );
  useEffect(() => void read(), [read]);
  async function undo() {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    await call("POST", `/commands/${commandId}/undo`, undefined, key).catch(setProblem);
    await read();
    setBusy(false);
  }
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
