// Archived Workspaces on the account page; an owner can restore them without loss.
import type { Operations, Problem } from "@svc/client";
import { useCallback, useEffect, useState } from "react";
import { say } from "../../messages/t.ts";
import { Alert, Button } from "../page-elements.tsx";
import { svc } from "../svc.ts";

type Workspace = Awaited<ReturnType<Operations["listWorkspaces"]>>["items"][number];

/** Renders nothing if there are no archived Workspaces. */
export function Archived({ restored }: { restored: () => void }) {
  const [found, setFound] = useState<readonly Workspace[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const read = useCallback(
    () => svc.listWorkspaces({ archived: true, limit: 100 }).then(({ items }) => setFound(items), setProblem),
    [],
  );
  useEffect(() => void read(), [read]);
  async function restore(workspace: Workspace) {
    setBusy(workspace.id);
    setProblem(null);
    await svc
      .updateWorkspace({ workspace_id: workspace.id, archived: false }, { at: workspace })
      .then(restored, setProblem);
    await read();
    setBusy(null);
  }
  if (found.length === 0 && !problem) return null;
  return (
    <>
      <h3 className="mt-6 mb-2 font-medium">{say("Archived Workspaces")}</h3>
      {problem && <Alert problem={problem} />}
      <ul className="divide-y divide-line rounded-lg border border-line">
        {found.map((workspace) => (
          <li key={workspace.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
            <p className="min-w-0 font-medium break-words">{workspace.name}</p>
            <Button
              small
              busy={busy === workspace.id}
              aria-label={say("Restore {name}", { name: workspace.name })}
              onClick={() => void restore(workspace)}
            >
              {say("Restore")}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
