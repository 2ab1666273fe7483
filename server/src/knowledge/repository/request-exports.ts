// Requests a run of the knowledge repository when a commit changed what it exports. Many commits share one run: a
// queued run reads everything before its start, and commits during a run are examined after it. After a failed run,
// only the schedule retries.
import { inWorkspace } from "../../platform/background/jobs.ts";
import type { Database, Queries } from "../../platform/database/db.ts";
import * as exports from "./export-store.ts";
import { requestRun } from "./store.ts";

/** Number of reads of the backlog: an open transaction may hold back only the events after the first ones. */
const ROUNDS = 3;

/** Handles the named Workspaces, or all. Resolves to true while an open transaction holds events back. */
export async function requestExports(
  { writer }: Pick<Database, "writer">,
  named: readonly string[] | null = null,
): Promise<boolean> {
  for (let round = 1; ; round++) {
    const backlog = await exports.backlogOf(writer, named);
    const ready = backlog.filter(({ held }) => !held);
    if (ready.length === 0 || round === ROUNDS) return backlog.some(({ held }) => held);
    for (const { workspace_id } of ready) await inWorkspace(writer, workspace_id, (tx) => readOn(tx, workspace_id));
  }
}

async function readOn(tx: Queries, workspaceId: string): Promise<void> {
  const position = await exports.lockPosition(tx, workspaceId);
  if (!position || position.running) return;
  const { from, to } = position;
  if (from === null || (await exports.hasChanged(tx, workspaceId, from, to)))
    await requestRun(tx, workspaceId, { kind: "sync", requested_by_actor_id: null });
  await exports.movePosition(tx, workspaceId, to);
}
