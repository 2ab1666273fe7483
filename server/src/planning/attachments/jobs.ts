// Background jobs of attachments: scanning, thumbnails, and removal of unreachable files. Each may run twice and be
// killed anywhere: a row is deleted only after its objects, and only once no upload URL can recreate one.

import { type Background, inWorkspace, type Jobs } from "../../platform/background/jobs.ts";
import type { Database, Queries } from "../../platform/database/db.ts";
import { checked } from "../../platform/database/sql.ts";
import type { ExternalSystems, Storage } from "../../platform/outside/external-systems.ts";
import { PICTURE, smallPicture } from "../../platform/outside/picture.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { isGiven, isPicture, MOST_DECODED, type ScanState } from "./rules.ts";
import { objectKeys } from "./store.ts";

interface Named {
  workspace_id: string;
  id: string;
}
interface Client {
  query<R>(sql: string, values?: unknown[]): Promise<{ rows: R[]; rowCount: number | null }>;
}

const FIND = `select content_type, size::float8 as size, scan_state from attachments
    where workspace_id = $1 and id = $2 and state = 'stored'`;
interface Found {
  content_type: string;
  size: number;
  scan_state: ScanState;
}
const SCANNED = `
update attachments set scan_state = $3, updated_at = now(), revision = revision + 1
where workspace_id = $1 and id = $2 and ${checked("state = 'stored' and scan_state = 'pending'")}
returning case when $3 in ('clean', 'not_scanned')
  then enqueue_job('make_thumbnail', json_build_object('workspace_id', $1::uuid, 'id', $2::uuid)) end`;
const DRAWN = `
update attachments set has_thumbnail = true, updated_at = now(), revision = revision + 1
where workspace_id = $1 and id = $2 and state = 'stored' and not has_thumbnail`;
const UNDRAWABLE = `
update attachments set undrawable = true, updated_at = now(), revision = revision + 1
where workspace_id = $1 and id = $2 and state = 'stored' and not undrawable`;
const STORED = "select from attachments where workspace_id = $1 and id = $2 and state = 'stored'";

/** Matches files that are attached to nothing, except stored files of a private stream. */
const LOOSE = "task_id is null and project_id is null and document_id is null and (not private or state <> 'stored')";
// Covers all Workspaces: background jobs act as the owner of the tables. A file whose target was deleted does not wait
// 24 hours.
const GIVE_UP = `
update attachments set state = 'deleted', private = false, updated_at = now()
where ${LOOSE} and (
  (state = 'reserved' and expires_at < now())
    or (state = 'stored' and expires_at < now()
    and (attached_at is not null or completed_at < now() - interval '24 hours')))`;
// A job waits up to six hours between attempts and ends after 25 of them: this requeues scans hourly, for a scanner
// that was down for long.
const LOOK_AGAIN = `
select enqueue_job('scan_attachment', json_build_object('workspace_id', workspace_id, 'id', id), key => 'scan ' || id)
from attachments where state = 'stored' and scan_state = 'pending' and completed_at < now() - interval '10 minutes'`;
/** Matches deleted files for which no upload can still be in progress. */
const SETTLED = `${LOOSE} and state = 'deleted' and expires_at < now() - interval '1 hour'`;
const DELETED = `select workspace_id, id from attachments where ${SETTLED} order by workspace_id, expires_at limit 100`;
const FORGET = `delete from attachments where workspace_id = $1 and id = $2 and ${SETTLED}`;

async function removeObjects(storage: Storage, { workspace_id, id }: Named): Promise<void> {
  await Promise.all(Object.values(objectKeys(workspace_id, id)).map((key) => storage.delete(key)));
}

export async function sweepAttachments(client: Client, storage: Storage): Promise<void> {
  await client.query(GIVE_UP);
  await client.query(LOOK_AGAIN);
  for (;;) {
    const { rows } = await client.query<Named>(DELETED);
    for (const row of rows) {
      await removeObjects(storage, row);
      await client.query(FORGET, [row.workspace_id, row.id]);
    }
    if (rows.length < 100) return;
  }
}

export function attachmentJobs({ writer }: Pick<Database, "writer">, { storage, scan }: ExternalSystems): Jobs {
  const within = <T>({ workspace_id }: Named, work: (tx: Queries) => Promise<T>) =>
    inWorkspace(writer, workspace_id, work);
  /** Throws if the scanner is unavailable: the file stays pending, and the job is retried. */
  const look = async (file: string): Promise<ScanState> => {
    if (!scan) return "not_scanned";
    const object = await storage.open(file);
    if (!object) return "failed";
    const verdict = await scan(object.bytes).finally(object.close);
    return verdict === "unscannable" ? "failed" : verdict;
  };
  return {
    async scan_attachment(payload) {
      const named = payload as Named;
      const values = [named.workspace_id, named.id];
      const found = await within(named, (tx) => tx.maybe<Found>(FIND, values));
      if (!found) return;
      const { file } = objectKeys(named.workspace_id, named.id);
      const state = found.scan_state === "pending" ? await look(file) : found.scan_state;
      if (state !== found.scan_state) await within(named, (tx) => tx.rows(SCANNED, [...values, state]));
      // Also cleans up after a run that was killed before this line.
      if (state === "infected") await storage.delete(file);
    },
    /**
     * Creates the thumbnail. A picture that cannot be decoded, or only to something huge, gets neither thumbnail nor
     * preview.
     */
    async make_thumbnail(payload) {
      const named = payload as Named;
      const values = [named.workspace_id, named.id];
      const found = await within(named, (tx) => tx.maybe<Found>(FIND, values));
      if (!found || !isGiven(found.scan_state) || !isPicture(found.content_type)) return;
      const { file, thumbnail } = objectKeys(named.workspace_id, named.id);
      const bytes = found.size <= MOST_DECODED && (await storage.get(file));
      const small = bytes && (await smallPicture(bytes, "inside", named.workspace_id).catch(noPicture));
      if (!small) return void (await within(named, (tx) => tx.rows(UNDRAWABLE, values)));
      await storage.put(thumbnail, small, PICTURE.type);
      const [, kept] = await within(named, (tx) => Promise.all([tx.rows(DRAWN, values), tx.maybe(STORED, values)]));
      // The attachment was deleted concurrently, perhaps before this thumbnail was stored.
      if (!kept) await storage.delete(thumbnail);
    },
    close_upload(payload) {
      const { workspace_id, id } = payload as Named;
      return storage.delete(objectKeys(workspace_id, id).upload);
    },
    /** Deletes the objects at once; the sweep deletes the row. */
    discard_attachment: (payload) => removeObjects(storage, payload as Named),
    sweep_attachments: (_payload, { withPgClient }) =>
      withPgClient((client) => sweepAttachments(client as Client, storage)),
  };
}

function noPicture(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.code !== "invalid_picture") throw error;
}

export const background: Background = {
  schedule: "13 * * * * sweep_attachments",
  deleting: ["discard_attachment", "sweep_attachments"],
  jobs: ({ database, outside }) => attachmentJobs(database, outside),
};
