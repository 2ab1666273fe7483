// SQL of the connection and its runs, for operations.
import type { Queries } from "../../platform/database/db.ts";
import { checked, untilFull } from "../../platform/database/sql.ts";
import type { ListRow } from "../../platform/kernel/implement-operation.ts";
import { LAST_ID, NIL, newId } from "../../platform/wire/ids.ts";
import { CONNECTION, conflictView, runView } from "./view.ts";

type Page = { after: readonly unknown[] | null; limit: number };
export type RepositoryRow = { json: string; revision: string };

export interface NewRepository {
  url: string;
  branch: string;
  folder: string;
  direction: string;
  root_document_id: string | null;
  username: string | null;
  sealed_credential: string | null;
  connected_by_actor_id: string;
}
const columns = [
  "url",
  "branch",
  "folder",
  "direction",
  "root_document_id",
  "username",
  "sealed_credential",
  "connected_by_actor_id",
] as const;
const NEW = "commit = null, committed_at = null, error_code = null, synchronized_at = null, begun = false";
const CONNECT = `
insert into knowledge_repositories (workspace_id, state, connection_id, followed_epoch, followed_tx,
  ${columns.join(", ")})
values (current_workspace(), 'active', $1, journal_epoch(), pg_snapshot_xmin(pg_current_snapshot()),
  ${columns.map((_, at) => `$${at + 3}`).join(", ")})
on conflict (workspace_id) do update
set state = 'active', connection_id = excluded.connection_id,
  ${columns.map((name) => `${name} = excluded.${name}`).join(", ")},
  followed_epoch = excluded.followed_epoch, followed_tx = excluded.followed_tx, ${NEW},
  revision = knowledge_repositories.revision + 1, updated_at = now()
where knowledge_repositories.revision = $2 returning 1`;
const FORGET_FILES =
  "/* reads up to 20000: all of the connection */ delete from repository_files where workspace_id = " +
  "current_workspace()";
const FORGET_BESIDE =
  "/* reads up to 20000: all of the connection */ delete from repository_attachments where workspace_id = " +
  "current_workspace()";
const FORGET_CONFLICTS =
  "/* reads up to 20000: all of the connection */ delete from repository_conflicts where workspace_id = " +
  "current_workspace()";
const CANCEL = `update repository_runs set state = 'cancelled', finished_at = now()
    where workspace_id = current_workspace() and state in ('queued', 'running')`;

/** Discards all agreed versions and conflicts, and cancels runs in progress, which can then write nothing more. */
const beginAnew = (tx: Queries) => [
  tx.rows(CANCEL),
  tx.rows(FORGET_FILES),
  tx.rows(FORGET_BESIDE),
  tx.rows(FORGET_CONFLICTS),
];

/** Returns no row if the connection was changed meanwhile. */
export async function connect(
  tx: Queries,
  revision: string,
  connecting: NewRepository,
): Promise<RepositoryRow | undefined> {
  const values = [newId(), revision, ...columns.map((name) => connecting[name])];
  const [done, , row] = await Promise.all([
    tx.maybe(CONNECT, values),
    Promise.all(beginAnew(tx)),
    tx.one<RepositoryRow>(CONNECTION),
  ]);
  return done ? row : undefined;
}

export interface Changed {
  state?: "active" | "paused" | "disconnected";
  branch?: string;
  folder?: string;
  direction?: string;
  username?: string | null;
  sealed_credential?: string | null;
}
const UPDATE = `
update knowledge_repositories
  set state = coalesce($2, state), branch = coalesce($3, branch), folder = coalesce($4, folder),
    direction = coalesce($5, direction),
  username = case when $6 then $7 else username end,
  sealed_credential = case when $8 then $9 else sealed_credential end,
  connection_id = case when $10 then $11::uuid else connection_id end, commit = case when $10 then null else commit end,
  committed_at = case when $10 then null else committed_at end, error_code = null, looks_asked = looks_asked + 1,
  revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and revision = $1 and state <> 'disconnected' returning 1`;
const DISCONNECT = `
update knowledge_repositories
  set state = 'disconnected', connection_id = null, ${columns.map((name) => `${name} = null`).join(", ")}, ${NEW},
  revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and revision = $1 and state <> 'disconnected' returning 1`;

/** Returns no row if the connection was changed meanwhile. `anew`: the branch or the folder is another one. */
export async function update(
  tx: Queries,
  revision: string,
  changed: Changed,
  anew: boolean,
): Promise<RepositoryRow | undefined> {
  const { state, branch, folder, direction, username, sealed_credential } = changed;
  const [done, , , row] = await (state === "disconnected"
    ? Promise.all([
        tx.maybe(DISCONNECT, [revision]),
        Promise.all(beginAnew(tx)),
        tx.rows(FORGET_BESIDE),
        tx.one<RepositoryRow>(CONNECTION),
      ])
    : Promise.all([
        tx.maybe(UPDATE, [
          ...[revision, state ?? null, branch ?? null, folder ?? null, direction ?? null],
          ...[username !== undefined, username ?? null, sealed_credential !== undefined, sealed_credential ?? null],
          ...[anew, anew ? newId() : null],
        ]),
        anew && Promise.all(beginAnew(tx)),
        state === "paused" && tx.rows(CANCEL),
        tx.one<RepositoryRow>(CONNECTION),
      ]));
  return done ? row : undefined;
}

const CREDENTIAL = "select sealed_credential from knowledge_repositories where workspace_id = current_workspace()";
export const findCredential = async (tx: Queries) =>
  (await tx.maybe<{ sealed_credential: string | null }>(CREDENTIAL))?.sealed_credential ?? null;

const ROOT = `
select d.id from documents d left join projects p on p.workspace_id = d.workspace_id and p.id = d.project_id
where d.workspace_id = current_workspace() and d.id = $1 and ${checked("d.trashed_at is null")}
  and (d.project_id is null or (p.visibility = 'workspace' and p.deleted_at is null))`;
/** Finds a Document that every member sees. */
export const findRoot = (tx: Queries, id: string) => tx.maybe(ROOT, [id]);

// ---- runs --------------------------------------------------------------------------------------------------

export interface SyncRequest {
  kind: "import" | "sync";
  requested_by_actor_id: string | null;
  accept_removals?: boolean;
  accept_rewritten_history?: boolean;
}
/** A queued or running run serves this request too, and takes over what it accepts. */
const REQUEST = `
insert into repository_runs as r (workspace_id, id, kind, requested_by_actor_id, accept_removals,
  accept_rewritten_history) values ($1, $2, $3, $4, $5, $6)
on conflict (workspace_id) where state in ('queued', 'running') do update
set accept_removals = r.accept_removals or excluded.accept_removals,
  accept_rewritten_history = r.accept_rewritten_history or excluded.accept_rewritten_history
returning ${runView} as json, r.id`;
const BEGUN = "update knowledge_repositories set begun = true where workspace_id = $1 and not begun";
/**
 * Number of queues, and thus of concurrent runs over all Workspaces: each may use 300 MB for a while, and mail must not
 * queue behind them.
 */
const QUEUES = 2;
const QUEUE = `select enqueue_job('sync_repository', $1::json, now(), 'repository ' || abs(hashtext($2)) % ${QUEUES},
  'repository ' || $2)`;

export async function requestRun(
  tx: Queries,
  workspaceId: string,
  wanted: SyncRequest,
): Promise<{ json: string; id: string }> {
  const { kind, requested_by_actor_id, accept_removals = false, accept_rewritten_history = false } = wanted;
  const values = [workspaceId, newId(), kind, requested_by_actor_id, accept_removals, accept_rewritten_history];
  const [run] = await Promise.all([
    tx.one<{ json: string; id: string }>(REQUEST, values),
    tx.rows(BEGUN, [workspaceId]),
    tx.rows(QUEUE, [JSON.stringify({ workspace_id: workspaceId }), workspaceId]),
  ]);
  return run;
}

const LIST_RUNS = `
select ${runView} as json, json_build_array(r.id)::text as key from repository_runs r
where r.workspace_id = current_workspace() and r.id < $1 order by r.id desc limit $2`;
export const listRuns = (tx: Queries, { after, limit }: Page) =>
  tx.rows<ListRow>(LIST_RUNS, [after?.[0] ?? LAST_ID, limit + 1]);

// ---- conflicts ---------------------------------------------------------------------------------------------

const LIST_CONFLICTS = untilFull({
  rows: `select *, coalesce(base, '') || coalesce(ours, '') || coalesce(theirs, '') as texts from repository_conflicts
    where workspace_id = current_workspace() and state = 'open' and id > $1 order by id limit $2`,
  alias: "c",
  text: "texts",
  order: "c.id",
  json: conflictView,
  key: "json_build_array(c.id)::text",
});
export const listConflicts = (tx: Queries, { after, limit }: Page) =>
  tx.rows<ListRow>(LIST_CONFLICTS, [after?.[0] ?? NIL, limit + 1]);
