// SQL of attachments. Per-person and per-target limits are counted under the lock of that person or target.
import { MOST_ATTACHED } from "@svc/contract/planning/attachments/attachments.ts";
import type { Queries } from "../../platform/database/db.ts";
import { cachedSql, checked } from "../../platform/database/sql.ts";
import { LAST_ID } from "../../platform/wire/ids.ts";
import { MOST_LOOSE, MOST_OPEN, type ScanState, UPLOAD_SECONDS, UPLOAD_URL_SECONDS } from "./rules.ts";
import { attachmentView } from "./view.ts";

/** Storage keys of an attachment. The upload URL can write only `upload`, which is never served. */
export const objectKeys = (workspaceId: string, id: string) => ({
  upload: `attachments/${workspaceId}/${id}/upload`,
  file: `attachments/${workspaceId}/${id}/file`,
  thumbnail: `attachments/${workspaceId}/${id}/thumbnail`,
});

const LOCK_ACTOR = "select from actors where workspace_id = $1 and id = $2 for no key update";
const RESERVE = `
with held as (
  select state from attachments
  where workspace_id = $1 and uploaded_by_actor_id = $2 and (state <> 'stored' or attached_at is null)
    and (state = 'stored' or expires_at > now()) and private = $8
  limit ${MOST_LOOSE}
)
insert into attachments (workspace_id, uploaded_by_actor_id, id, filename, content_type, size, sha256, private,
  expires_at)
select $1, $2, $3, $4, $5, $6, decode($7, 'hex'), $8, now() + interval '${UPLOAD_SECONDS} seconds'
where (select count(*) < ${MOST_LOOSE} and count(*) filter (where state = 'reserved') < ${MOST_OPEN} from held)
returning wire_time(created_at) as created_at, wire_time(expires_at) as expires_at,
  wire_time(now() + interval '${UPLOAD_URL_SECONDS} seconds') as until`;
interface Reservation {
  id: string;
  filename: string;
  content_type: string;
  size: number;
  sha256: string;
}
/** Undefined if the person has too many open reservations or unattached files of this kind. */
export async function reserve(
  tx: Queries,
  workspaceId: string,
  actorId: string,
  asked: Reservation,
  isPrivate = false,
) {
  const { id, filename, content_type, size, sha256 } = asked;
  const values = [workspaceId, actorId, id, filename, content_type, size, sha256, isPrivate];
  const [, row] = await Promise.all([
    tx.rows(LOCK_ACTOR, [workspaceId, actorId]),
    tx.maybe<{ created_at: string; expires_at: string; until: string }>(RESERVE, values),
  ]);
  return row;
}

const OPEN =
  "select from attachments where workspace_id = $1 and id = $2 and state = 'reserved' and expires_at > now()";
/** Whether the reservation is open and awaits its upload. */
export const isOpen = async (tx: Queries, workspaceId: string, id: string) =>
  (await tx.maybe(OPEN, [workspaceId, id])) !== undefined;

// Deletes later uploads to the URL: at once, and again when no upload that started in time can still be in progress.
const CLOSE = "enqueue_job('close_upload', json_build_object('workspace_id', workspace_id, 'id', id)";
const COMPLETE = `
update attachments set state = 'stored', completed_at = now(), scan_state = $3, updated_at = now()
where workspace_id = $1 and id = $2 and state = 'reserved' and expires_at > now()
returning ${CLOSE}), ${CLOSE}, expires_at + interval '1 hour')`;
/** Whether this call completed it: of concurrent ones exactly one does. */
export const complete = async (tx: Queries, workspaceId: string, id: string, scanState: ScanState) =>
  (await tx.maybe(COMPLETE, [workspaceId, id, scanState])) !== undefined;

// Detaches the file at once, so that no list contains it; the row stays until its objects are deleted.
const DISCARD = `
update attachments set state = 'deleted', task_id = null, project_id = null, document_id = null, private = false,
  updated_at = now(), revision = revision + 1
where workspace_id = $1 and id = $2`;
export const discard = (tx: Queries, workspaceId: string, id: string) => tx.rows(DISCARD, [workspaceId, id]);

type Place = "task_id" | "project_id" | "document_id";
const attachSql = cachedSql(
  (place: Place) => `
with own as (
  select id, scan_state from attachments
  where workspace_id = $1 and id = any($2::uuid[])
    and ${checked("uploaded_by_actor_id = current_actor() and state = 'stored' and attached_at is null and not private")}
  order by id for no key update
), held as (
  select from attachments where workspace_id = $1 and ${place} = $3 limit ${MOST_ATTACHED}
), room as (select count(*) + cardinality($2::uuid[]) <= ${MOST_ATTACHED} as room from held
), a as (
  update attachments a set ${place} = $3, task_project_id = $4, attached_at = now(), updated_at = now(),
    revision = a.revision + 1
  from own, room where a.workspace_id = $1 and a.id = own.id and own.scan_state <> 'infected' and room.room
  returning a.*
)
select own.id, room.room, own.scan_state, a.revision::text, a.content_type, a.undrawable, ${attachmentView} as json
from room cross join own left join a on a.id = own.id`,
);
/**
 * One of the caller's own unattached files; it is not attached if it is infected, or if there is no room for all of
 * them.
 */
interface Attached {
  id: string;
  room: boolean;
  scan_state: ScanState;
  revision: string;
  content_type: string;
  undrawable: boolean;
  json: string;
}
export interface AttachedTo {
  kind: "task" | "project" | "document";
  id: string;
  projectId: string | null;
}
/** The target is locked, or was created by this write. */
export const attach = (tx: Queries, workspaceId: string, ids: readonly string[], { kind, id, projectId }: AttachedTo) =>
  tx.rows<Attached>(attachSql(`${kind}_id`), [workspaceId, ids, id, kind === "task" ? projectId : null]);

const listSql = cachedSql(
  (place: Place | "task_project_id") => `
select ${attachmentView} as json, json_build_array(a.attached_at, a.id)::text as key
from attachments a${
    place === "task_project_id"
      ? `
  join tasks t on t.workspace_id = a.workspace_id and t.id = a.task_id and t.trashed_at is null`
      : ""
  }
where a.workspace_id = current_workspace() and a.${place} = $1 and (a.attached_at, a.id) < ($2::timestamptz, $3::uuid)
order by a.attached_at desc, a.id desc limit $4`,
);
/** First key of a page; newest first. */
export const pageStart = (page: { after: readonly unknown[] | null }) =>
  (page.after ?? ["infinity", LAST_ID]) as [string, string];
export const list = (
  tx: Queries,
  place: Place | "task_project_id",
  of: string,
  after: readonly [string, string],
  rows: number,
) => tx.rows<{ json: string; key: string }>(listSql(place), [of, ...after, rows]);
