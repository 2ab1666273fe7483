// Writes of a run: a short transaction that acts as the member who connected the repository, with the admin role,
// through the same functions as every operation. It first checks that this worker still owns the run, and commits its
// events with the change.
import { setTimeout as sleep } from "node:timers/promises";
import type { JobParts } from "../../platform/background/jobs.ts";
import type { Connection } from "../../platform/database/db.ts";
import type { Principal } from "../../platform/kernel/authentication.ts";
import { contextOf, enqueueAll, nothingLeft, SET_CALLER, settle } from "../../platform/kernel/context.ts";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { writeEvents } from "../../platform/kernel/ledger.ts";
import { type Begun, holdRun } from "./run-store.ts";

/** Somebody has paused or reconnected the repository meanwhile, or another worker has taken over the run. */
export class Superseded extends Error {}

export interface Acting {
  parts: Pick<JobParts, "database" | "outside">;
  workspaceId: string;
  run: Begun;
}

const MOST_ATTEMPTS = 4;
/** Serialization failures and deadlocks: the retry sees what the other transaction did. */
const isTransient = (error: unknown) => /^40(?:001|P01)$/.test((error as { code?: string }).code ?? "");

export async function acting<T>(run: Acting, work: (context: Context) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run.parts.database.writer.use((tx) => once(run, tx, work), run.workspaceId);
    } catch (error) {
      if (attempt >= MOST_ATTEMPTS || !isTransient(error)) throw error;
      await sleep(attempt * 50);
    }
  }
}

async function once<T>(
  { parts, workspaceId, run }: Acting,
  tx: Connection,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const [, , held, { now }] = await settle([
    tx.begin(),
    tx.rows(SET_CALLER, [workspaceId, run.actor_id, "admin", "", "", "", true]),
    holdRun(tx, workspaceId, run),
    tx.one<{ now: string }>("select now()::text as now"),
  ]);
  if (!held) throw new Superseded();
  const membership = { workspaceId, membershipId: "", actorId: run.actor_id, role: "admin" as const };
  const principal = { membership, now, projects: "" } as Principal;
  const left = nothingLeft({
    tenant: workspaceId,
    operation: "syncKnowledgeRepository",
    userId: null,
    actorId: run.actor_id,
    credentialId: null,
    credentialKind: null,
    client: null,
    correlationId: run.id,
    targetId: null,
  });
  const result = await work(contextOf({ principal, kernel: null as never, place: null }, tx, left));
  await settle([
    ...left.deferred,
    left.facts.length > 0 && writeEvents(tx, left, workspaceId, run.actor_id, left.facts),
    ...enqueueAll(tx, left, parts.outside.secrets),
    tx.commit(),
  ]);
  return result;
}
