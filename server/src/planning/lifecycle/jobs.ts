// Runs a lifecycle migration one page at a time. A page, its events and the progress are one transaction: a killed
// worker leaves whole pages, and the next run continues. The worker rests between pages, so that concurrent readers are
// barely slowed.
import { setTimeout as sleep } from "node:timers/promises";
import type { MigrationError } from "@svc/contract/planning/lifecycle/migrations.ts";
import { type Background, enqueue, type Jobs, TENANT } from "../../platform/background/jobs.ts";
import type { Connection, Database } from "../../platform/database/db.ts";
import { writeEvents } from "../../platform/kernel/ledger.ts";
import { lifecycleMigrationCompleted, lifecycleMigrationFailed } from "./events.ts";
import {
  type ApplyingMigration,
  advanceMigration,
  beginMigration,
  failMigration,
  takeMigration,
} from "./migration-store.ts";
import { stillUsable } from "./rules.ts";
import { boundTo, countEntities, isBusy, moveEntities } from "./store.ts";

export interface MigrationPace {
  pageSize: number;
  /** Rest before the next page, as a multiple of the page's duration. */
  rest: number;
  /** Time after which the migration requeues itself behind other waiting jobs. */
  turnMs: number;
  /**
   * Consecutive failures, with the queue's exponential backoff between them, after which the migration fails and needs
   * a manual retry.
   */
  mostAttempts: number;
}
const PACE: MigrationPace = { pageSize: 250, rest: 8, turnMs: 10_000, mostAttempts: 6 };
/** Cap on the counted total; a larger one is not worth waiting for. */
const MOST_COUNTED = 1_000_000;

interface Migration {
  workspace_id: string;
  id: string;
}

/** Runs `work` in one transaction on the job's tenant while the migration is applying; otherwise undefined. */
const whileItApplies = <T>(
  { writer }: Pick<Database, "writer">,
  { workspace_id, id }: Migration,
  work: (tx: Connection, job: ApplyingMigration) => Promise<T>,
): Promise<T | undefined> =>
  writer.use(async (tx) => {
    const [, , job] = await Promise.all([tx.begin(), tx.rows(TENANT, [workspace_id]), takeMigration(tx, id)]);
    return job && work(tx, job);
  });

/** A destination was archived or deleted; retrying cannot succeed. */
class Unavailable extends Error {}
const codeOf = (error: unknown): MigrationError =>
  error instanceof Unavailable ? "destination_unavailable" : isBusy(error) ? "busy" : "internal";

const subjectOf = ({ id }: Migration) => ({ kind: "lifecycle_migration", id });
const tell = (tx: Connection, migration: Migration, job: ApplyingMigration, fact: typeof lifecycleMigrationCompleted) =>
  writeEvents(
    tx,
    { commandId: migration.id, author: { userId: job.requested_by_user_id, credentialKind: job.source } },
    migration.workspace_id,
    job.requested_by_actor_id,
    [fact(subjectOf(migration), { definition_id: job.definition_id })],
  );

const begin = (database: Pick<Database, "writer">, migration: Migration) =>
  whileItApplies(database, migration, async (tx, { kind, mapping }) => {
    const sources = Object.keys(mapping);
    const left = await countEntities(tx, { kind, workspaceId: migration.workspace_id, sources, most: MOST_COUNTED });
    await Promise.all([beginMigration(tx, migration.id, left), tx.commit()]);
  });

/** Whether more is left. Entities may enter a source concurrently: the migration ends when no source has any. */
const movePage = (database: Pick<Database, "writer">, migration: Migration, pageSize: number) =>
  whileItApplies(database, migration, async (tx, job) => {
    const { workspace_id: workspaceId, id } = migration;
    const { kind, mapping, definition_id, requested_by_actor_id: actorId, requested_by_user_id: userId, source } = job;
    const author = { actorId, userId, source, commandId: id };
    const [found, moved, left] = await Promise.all([
      boundTo(tx, { id: definition_id, kind }, Object.values(mapping)),
      moveEntities(tx, { kind, workspaceId, mapping, limit: pageSize, author }),
      countEntities(tx, { kind, workspaceId, sources: Object.keys(mapping), most: 0 }),
    ]);
    if (!stillUsable(mapping, found)) throw new Unavailable("a destination was archived or deleted");
    const completed = left === 0;
    await Promise.all([
      advanceMigration(tx, id, moved, completed),
      completed && tell(tx, migration, job, lifecycleMigrationCompleted),
      tx.commit(),
    ]);
    return !completed;
  });

export function lifecycleJobs(database: Pick<Database, "writer">, pace: Partial<MigrationPace> = {}): Jobs {
  const { pageSize, rest, turnMs, mostAttempts } = { ...PACE, ...pace };

  async function work(migration: Migration, ending: AbortSignal): Promise<void> {
    const until = performance.now() + turnMs;
    await begin(database, migration);
    for (;;) {
      const started = performance.now();
      if (!(await movePage(database, migration, pageSize))) return;
      const took = performance.now() - started;
      await sleep(took * rest, undefined, { signal: ending }).catch(() => {});
      if (ending.aborted || performance.now() > until) break;
    }
    await database.writer.use((tx) => enqueue(tx, "migrate_lifecycle", { ...migration }));
  }

  return {
    async migrate_lifecycle(payload, { abortSignal }) {
      const migration = payload as Migration;
      try {
        await work(migration, abortSignal);
      } catch (error) {
        const code = codeOf(error);
        const state = await whileItApplies(database, migration, async (tx, job) => {
          const most = error instanceof Unavailable ? 0 : mostAttempts;
          const next = await failMigration(tx, migration.id, code, most);
          await Promise.all([next === "failed" && tell(tx, migration, job, lifecycleMigrationFailed), tx.commit()]);
          return next;
        });
        // Rethrows for the queue's backoff; a failed migration waits for a manual retry.
        if (state === "retry") throw error;
      }
    },
  };
}

export const background: Background = { jobs: ({ database }) => lifecycleJobs(database) };
