// SQL of a run: the connection, the agreed versions, and the outcome. Every statement names the Workspace.
import type { RepositoryError } from "@svc/contract/knowledge/repository/errors.ts";
import type { FileProblem } from "@svc/contract/knowledge/repository/runs.ts";
import type { Queries } from "../../platform/database/db.ts";
import { checked } from "../../platform/database/sql.ts";
import { newId } from "../../platform/wire/ids.ts";
import { conflictView } from "./view.ts";

/** A run in progress, and the connection as it was when the run began. */
export interface Begun {
  id: string;
  attempt: number;
  kind: "import" | "sync";
  accept_removals: boolean;
  accept_rewritten_history: boolean;
  connection_id: string;
  url: string;
  branch: string;
  folder: string;
  direction: "in" | "out" | "both";
  root_document_id: string | null;
  username: string | null;
  sealed_credential: string | null;
  actor_id: string;
  commit: string | null;
  committed_at: string | null;
  looks_asked: string;
  /** Whether something has happened since the last successful run that only a full comparison finds. */
  looks: boolean;
}
const BEGIN = `
update repository_runs r set state = 'running', attempt = r.attempt + 1, started_at = coalesce(r.started_at, now())
from knowledge_repositories k
where r.workspace_id = $1 and r.state in ('queued', 'running') and k.workspace_id = $1 and k.state = 'active'
returning r.id, r.attempt, r.kind, r.accept_removals, r.accept_rewritten_history, k.connection_id, k.url, k.branch,
  k.folder, k.direction, k.root_document_id,
  k.username, k.sealed_credential, k.connected_by_actor_id as actor_id, k.commit, k.committed_at::text,
  k.looks_asked::text, k.looks_asked > k.looks_done as looks`;
export const beginRun = (tx: Queries, workspaceId: string) => tx.maybe<Begun>(BEGIN, [workspaceId]);

const HOLD = `select from repository_runs
    where workspace_id = $1 and id = $2 and attempt = $3 and state = 'running' for no key update`;
/** Returns whether the run still belongs to this worker. The lock prevents others from ending it before the commit. */
export const holdRun = async (tx: Queries, workspaceId: string, { id, attempt }: Begun) =>
  (await tx.maybe(HOLD, [workspaceId, id, attempt])) !== undefined;

export interface SyncOutcome {
  error_code: RepositoryError | null;
  counts: Record<string, number>;
  problems: { path: string; code: FileProblem }[];
  commit: string | null;
  committed_at: number | null;
}
const END = `
with ended as (
  update repository_runs set state = case when $4::text is null then 'succeeded' else 'failed' end, error_code = $4,
    counts = $5, problems = $6, commit = $7,
    finished_at = now()
  where workspace_id = $1 and id = $2 and attempt = $3 and state = 'running' returning workspace_id
)
update knowledge_repositories k set error_code = $4, commit = case when $4::text is null then $7 else k.commit end,
  committed_at = case when $4::text is null then $8::bigint else k.committed_at end,
  looks_done = case when $4::text is null then $10::bigint else k.looks_done end,
  synchronized_at = case when $4::text is null then now() else k.synchronized_at end
from ended where k.workspace_id = ended.workspace_id and k.connection_id = $9`;
export const endRun = (
  tx: Queries,
  workspaceId: string,
  run: Begun,
  { error_code, counts, problems, commit, committed_at }: SyncOutcome,
) =>
  tx.rows(END, [
    ...[
      workspaceId,
      run.id,
      run.attempt,
      error_code,
      counts,
      JSON.stringify(problems),
      commit,
      committed_at,
      run.connection_id,
      run.looks_asked,
    ],
  ]);

// ---- both sides --------------------------------------------------------------------------------------------

/** A Document that every member sees, and that is exchanged. */
export interface Doc {
  id: string;
  parent_id: string | null;
  project_id: string | null;
  title: string;
  labels: string[];
  revision: string;
  content_revision: string;
}
/** Condition for Document d in Project p: every member sees it. */
export const SEEN =
  "d.trashed_at is null and (d.project_id is null or (p.visibility = 'workspace' and p.deleted_at is null))";
/** Names of the labels of Document d, in its order. */
export const labelsOf = `array(
  select l.name from unnest(d.label_ids) with ordinality u(id, n)
  join label_definitions l on l.workspace_id = d.workspace_id and l.id = u.id
  where l.deleted_at is null order by u.n)`;
const FIELDS = `d.id, d.parent_id, d.project_id, d.title, d.revision::text, d.content_revision::text,
  ${labelsOf} as labels`;
const FROM = "documents d left join projects p on p.workspace_id = d.workspace_id and p.id = d.project_id";
const ALL = `select ${FIELDS} from ${FROM} where d.workspace_id = $1 and ${SEEN}`;
const ONE = `select ${FIELDS} from ${FROM} where d.workspace_id = $1 and d.id = $2 and ${checked(SEEN)}`;
/** Finds a Document that every member sees. */
export const findDoc = (tx: Queries, workspaceId: string, id: string) => tx.maybe<Doc>(ONE, [workspaceId, id]);
const BELOW = `
with recursive below as (
  select d.id from documents d where d.workspace_id = $1 and d.parent_id = $2
  union all select c.id from below b join documents c on c.workspace_id = $1 and c.parent_id = b.id
)
select ${FIELDS} from below b join documents d on d.workspace_id = $1 and d.id = b.id
left join projects p on p.workspace_id = d.workspace_id and p.id = d.project_id
where ${SEEN}`;
export const findDocs = (tx: Queries, workspaceId: string, rootId: string | null) =>
  rootId === null ? tx.rows<Doc>(ALL, [workspaceId]) : tx.rows<Doc>(BELOW, [workspaceId, rootId]);

/** The last version that both sides agreed on, without its text. */
export interface FileRow {
  document_id: string;
  path: string;
  oid: string | null;
  parent_id: string | null;
  marked: boolean;
  revision: string;
  content_revision: string;
}
const FILES = `select document_id, path, oid, parent_id, marked, revision::text, content_revision::text from repository_files
    where workspace_id = $1 order by path`;
export const findFiles = (tx: Queries, workspaceId: string) => tx.rows<FileRow>(FILES, [workspaceId]);
const BASE = "select base from repository_files where workspace_id = $1 and document_id = $2";
export const findBase = async (tx: Queries, workspaceId: string, id: string) =>
  (await tx.maybe<{ base: string }>(BASE, [workspaceId, id]))?.base ?? null;

export type NewFile = FileRow & { base: string };
const PUT_FILE = `
insert into repository_files (workspace_id, document_id, path, oid, base, parent_id, marked, revision, content_revision)
select $1, f.document_id, f.path, f.oid, f.base, f.parent_id, f.marked, f.revision, f.content_revision
from jsonb_to_recordset($2::jsonb) as f(document_id uuid, path text, oid text, base text, parent_id uuid,
  marked boolean, revision bigint, content_revision bigint)
on conflict (workspace_id, document_id) do update
set path = excluded.path, oid = excluded.oid, base = excluded.base, parent_id = excluded.parent_id,
  marked = excluded.marked, revision = excluded.revision, content_revision = excluded.content_revision`;
export const putFiles = (tx: Queries, workspaceId: string, files: readonly NewFile[]) =>
  tx.rows(PUT_FILE, [workspaceId, JSON.stringify(files)]);
const SEE = `
update repository_files set path = $3, parent_id = $4, oid = $5, base = $6, revision = 0, content_revision = 0
where workspace_id = $1 and document_id = $2`;
/** Records the repository's version as seen; the next run compares the Document again. */
export const seeFile = (
  tx: Queries,
  workspaceId: string,
  { document_id, path, parent_id, oid, base }: Omit<NewFile, "marked" | "revision" | "content_revision">,
) => tx.rows(SEE, [workspaceId, document_id, path, parent_id, oid, base]);
const FILE = `select document_id, path, oid, base, parent_id, marked, revision::text, content_revision::text from repository_files
    where workspace_id = $1 and document_id = $2`;
export const findFile = (tx: Queries, workspaceId: string, id: string) => tx.maybe<NewFile>(FILE, [workspaceId, id]);
const FORGET = "delete from repository_files where workspace_id = $1 and document_id = any($2)";
export const forgetFiles = (tx: Queries, workspaceId: string, ids: readonly string[]) =>
  tx.rows(FORGET, [workspaceId, ids]);
const FORGET_ALL = "delete from repository_files where workspace_id = $1";
export const forgetAllFiles = (tx: Queries, workspaceId: string) => tx.rows(FORGET_ALL, [workspaceId]);

const labels = (where: string) => `
select id, name, project_id from label_definitions
where workspace_id = $1 and ${where} and deleted_at is null and purpose in ('general', 'document')`;
const LABELS = labels("true");
const LABELS_OF = `
/* reads up to 1500: the labels of a Workspace and of a Project */ ${labels("project_id is null")} union all
${labels("project_id = (select d.project_id from documents d where d.workspace_id = $1 and d.id = $2)")}`;
export interface Label {
  id: string;
  name: string;
  project_id: string | null;
}
export const findLabels = (tx: Queries, workspaceId: string) => tx.rows<Label>(LABELS, [workspaceId]);
/** Labels that this Document may have. */
export const findLabelsOf = (tx: Queries, workspaceId: string, id: string) =>
  tx.rows<Label>(LABELS_OF, [workspaceId, id]);

// ---- conflicts ---------------------------------------------------------------------------------------------

export interface Conflict {
  document_id: string;
  kind: "content" | "location" | "removal";
  path: string;
  base: string | null;
  ours: string | null;
  theirs: string | null;
  theirs_oid: string | null;
  theirs_parent_id: string | null;
}
/** Upserts the open conflict of the Document; unchanged values create no new revision. */
const RAISE = `
insert into repository_conflicts as c (workspace_id, id, document_id, kind, path, base, ours, theirs, theirs_oid,
  theirs_parent_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (workspace_id, document_id) where state = 'open' do update
set kind = excluded.kind, path = excluded.path, base = excluded.base, ours = excluded.ours,
  theirs = excluded.theirs, theirs_oid = excluded.theirs_oid, theirs_parent_id = excluded.theirs_parent_id,
  revision = c.revision + 1, updated_at = now()
where (c.kind, c.path, c.base, c.ours, c.theirs, c.theirs_oid, c.theirs_parent_id)
  is distinct from (excluded.kind, excluded.path, excluded.base, excluded.ours, excluded.theirs, excluded.theirs_oid,
    excluded.theirs_parent_id)`;
export const raiseConflict = (tx: Queries, workspaceId: string, conflict: Conflict) => {
  const { document_id, kind, path, base, ours, theirs, theirs_oid, theirs_parent_id } = conflict;
  return tx.rows(RAISE, [
    workspaceId,
    newId(),
    document_id,
    kind,
    path,
    base,
    ours,
    theirs,
    theirs_oid,
    theirs_parent_id,
  ]);
};
const LOOK = "update knowledge_repositories set looks_asked = looks_asked + 1 where workspace_id = $1";
/** Makes the next run compare everything. */
export const askToLook = (tx: Queries, workspaceId: string) => tx.rows(LOOK, [workspaceId]);
const RESOLVE = `
update repository_conflicts c set state = 'resolved', revision = c.revision + 1, updated_at = now()
where c.workspace_id = $1 and c.id = $2 and c.revision = $3
returning ${conflictView} as json, c.revision::text`;
/** Returns no row if the conflict was resolved or updated meanwhile. */
export const resolveConflict = (tx: Queries, workspaceId: string, id: string, revision: string) =>
  tx.maybe<{ json: string; revision: string }>(RESOLVE, [workspaceId, id, revision]);
const SETTLED = `
update repository_conflicts set state = 'resolved', revision = revision + 1, updated_at = now()
where workspace_id = $1 and state = 'open' and not document_id = any($2)`;
/** Resolves all open conflicts except these. */
export const settleOthers = (tx: Queries, workspaceId: string, open: readonly string[]) =>
  tx.rows(SETTLED, [workspaceId, open]);

// ---- files beside those of Documents -----------------------------------------------------------------------

/** An attachment and its file in the repository. */
export interface AttachmentFile {
  document_id: string;
  attachment_id: string;
  path: string;
  oid: string;
}
const FIND = "select document_id, attachment_id, path, oid from repository_attachments where workspace_id = $1";
export const findBeside = (tx: Queries, workspaceId: string) => tx.rows<AttachmentFile>(FIND, [workspaceId]);
const FORGET_PLACE = `
delete from repository_attachments r
using jsonb_to_recordset($2::jsonb) as b(document_id uuid, attachment_id uuid, path text)
where r.workspace_id = $1 and r.document_id = b.document_id and (r.path = b.path or r.attachment_id = b.attachment_id)`;
const PUT = `
insert into repository_attachments (workspace_id, document_id, attachment_id, path, oid)
select $1, b.document_id, b.attachment_id, b.path, b.oid
from jsonb_to_recordset($2::jsonb) as b(document_id uuid, attachment_id uuid, path text, oid text)`;
export async function settleBeside(
  tx: Queries,
  workspaceId: string,
  put: readonly AttachmentFile[],
  gone: readonly AttachmentFile[],
): Promise<void> {
  if (put.length + gone.length === 0) return;
  await Promise.all([
    tx.rows(FORGET_PLACE, [workspaceId, JSON.stringify([...put, ...gone])]),
    tx.rows(PUT, [workspaceId, JSON.stringify(put)]),
  ]);
}
