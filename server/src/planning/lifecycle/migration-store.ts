// SQL of lifecycle migration jobs. A job is applying until it completes or fails; a unique index allows one applying
// job per Workspace.
import type { LifecycleKind } from "@svc/contract/planning/lifecycle/behaviors.ts";
import type { MigrationError } from "@svc/contract/planning/lifecycle/migrations.ts";
import type { Queries } from "../../platform/database/db.ts";
import { migrationView } from "./view.ts";

const APPLIES = "state in ('pending', 'processing', 'retry')";
type Row = { json: string; revision: string };

const FIND_APPLYING = `
select from lifecycle_migrations
where workspace_id = current_workspace() and ${APPLIES} and ($1::uuid is null or definition_id = $1)`;
/** Whether a migration is applying in the Workspace, or on this definition. */
export const migrationApplies = async (tx: Queries, definitionId: string | null = null) =>
  (await tx.rows(FIND_APPLYING, [definitionId])).length > 0;

const INSERT = `
insert into lifecycle_migrations as j (workspace_id, id, definition_id, state, mapping, total, moved, error_code,
  attempts,
  requested_by_actor_id, requested_by_user_id, source, finished_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, case $4 when 'retry' then 1 else 0 end, $9, $10, $11,
  case $4 when 'completed' then now() end)
returning ${migrationView} as json, j.revision::text`;

export interface NewMigration {
  workspaceId: string;
  /** Also the id of the command that requested it: every event of the job has it. */
  id: string;
  definitionId: string;
  state: "pending" | "retry" | "completed";
  mapping: Record<string, string>;
  total: number;
  moved: number;
  errorCode: MigrationError | null;
  actorId: string;
  userId: string;
  source: string;
}
export const insertMigration = (tx: Queries, job: NewMigration) =>
  tx.one<Row>(INSERT, [
    ...[job.workspaceId, job.id, job.definitionId, job.state, JSON.stringify(job.mapping), job.total, job.moved],
    ...[job.errorCode, job.actorId, job.userId, job.source],
  ]);

const RESTART = `
update lifecycle_migrations j
  set state = 'pending', attempts = 0, error_code = null, finished_at = null, revision = revision + 1,
    updated_at = now()
where workspace_id = current_workspace() and id = $1
returning ${migrationView} as json, j.revision::text`;
/** The preceding load has locked the row. */
export const restartMigration = (tx: Queries, id: string) => tx.one<Row>(RESTART, [id]);

export interface ApplyingMigration {
  definition_id: string;
  kind: LifecycleKind;
  mapping: Record<string, string>;
  requested_by_actor_id: string;
  requested_by_user_id: string;
  source: string;
}
// Locks the job, then the definition, whose lock keeps destinations from being archived until the commit.
const TAKE = `
select j.definition_id, d.kind, j.mapping, j.requested_by_actor_id, j.requested_by_user_id, j.source
from lifecycle_migrations j join lifecycle_definitions d on d.workspace_id = j.workspace_id and d.id = j.definition_id
where j.workspace_id = current_workspace() and j.id = $1 and j.${APPLIES} for no key update of j for share of d`;
/** Undefined if the job is no longer applying. The lock keeps others from moving a page of it until the commit. */
export const takeMigration = (tx: Queries, id: string) => tx.maybe<ApplyingMigration>(TAKE, [id]);

const BEGIN = `
update lifecycle_migrations
  set state = 'processing', total = greatest(total, moved + $2), revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;
/** `left` is the number of entities still to move. */
export const beginMigration = (tx: Queries, id: string, left: number) => tx.rows(BEGIN, [id, left]);

// A successful page resets the failure count.
const ADVANCE = `
update lifecycle_migrations
  set moved = moved + $2, total = case when $3 then moved + $2 else greatest(total, moved + $2) end,
  state = case when $3 then 'completed' else 'processing' end, finished_at = case when $3 then now() end,
  attempts = 0, error_code = null, revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;
export const advanceMigration = (tx: Queries, id: string, moved: number, completed: boolean) =>
  tx.rows(ADVANCE, [id, moved, completed]);

const FAIL = `
update lifecycle_migrations
  set attempts = attempts + 1, error_code = $2, state = case when attempts + 1 < $3 then 'retry' else 'failed' end,
  finished_at = case when attempts + 1 < $3 then null else now() end, revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1 and ${APPLIES} returning state`;
/** Schedules a retry, or marks the job failed after `mostAttempts` consecutive failures. */
export const failMigration = async (tx: Queries, id: string, code: MigrationError, mostAttempts: number) =>
  (await tx.maybe<{ state: "retry" | "failed" }>(FAIL, [id, code, mostAttempts]))?.state;
