// Finds passages for a caller, for everybody who shows or uses them:
//   findPassages(read, q, { most?, places? }) -> Passage[], best first; `read` runs statements as that caller, and may
//   be called several times
// The caller's places are determined first; only they are loaded into memory and searched. The results are read once
// more under the caller's rights, with the current revisions of their sources.
import { attachmentVisible, placeOfAttachment } from "../../planning/attachments/access.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { checked } from "../../platform/database/sql.ts";
import { documentVisible, projectOfDocument } from "../documents/access.ts";
import { placesSeen, type SeenPlace } from "./access.ts";
import { type EmbeddingWorker, openBeside } from "./index/embedding-worker.ts";
import type { Gone, IndexRow } from "./index/place-index.ts";

export type PassageKind = "task_title" | "task_description" | "comment" | "document" | "attachment";
export interface SourcePassage {
  /** A literal excerpt of the source. */
  passage: string;
  kind: PassageKind;
  /** Id of the Task, comment, Document or attachment. */
  id: string;
  /** Revision of the source; the content_revision of a Document. */
  revision: string;
  start: number;
  end: number;
}

type Read = <T>(work: (tx: Queries) => Promise<T>) => Promise<T>;

/** Hook of this process, called once if the model cannot be loaded. */
export const noted = { unavailable: (_why: string) => {} };
export const beside: EmbeddingWorker = openBeside((why) => noted.unavailable(why));

const PAGE = 2_000;
const ROWS = `
select number::float8 as number, source_id as source, version::float8 as version, terms, vector from knowledge_passages
where workspace_id = current_workspace() and place_id = $1
  and (version, number) > ($2::float8::bigint, $3::float8::bigint)
order by version, number limit ${PAGE}`;
const GONE = `
select source_id as source, version::float8 as version from knowledge_gone
where workspace_id = current_workspace() and place_id = $1 and version > $2::float8::bigint`;
interface Kept {
  number: number;
  source: string;
  version: number;
  terms: Buffer;
  vector: Buffer | null;
}
const rowOf = ({ terms, vector, ...row }: Kept): IndexRow => ({
  ...row,
  // Copied, because typed arrays need an aligned buffer.
  terms: new Uint32Array(new Uint8Array(terms).buffer),
  vector: vector && new Int8Array(new Uint8Array(vector).buffer),
});

const bringing = new Map<string, Promise<void>>();
/** Loads the changes of a place since the version in memory, or all of it if they are unknown. */
async function bring(read: Read, place: SeenPlace): Promise<void> {
  await bringing.get(place.id);
  const held = beside.versionOf(place.id);
  if (held !== undefined && held >= place.version) return beside.touch(place.id);
  const since = held !== undefined && held >= place.floor ? held : 0;
  const work = (async () => {
    let reset = since === 0;
    let after: [number, number] = [since, Number.MAX_SAFE_INTEGER];
    for (let more = true; more; reset = false) {
      // Removals are read after the rows: a row that a removal does not cover is newer.
      const [rows, gone] = await read((tx) =>
        Promise.all([tx.rows<Kept>(ROWS, [place.id, ...after]), reset ? [] : tx.rows<Gone>(GONE, [place.id, since])]),
      );
      more = rows.length === PAGE;
      const last = rows.at(-1);
      if (last) after = [last.version, last.number];
      await beside.hold(more ? since : place.version, place.id, reset, rows.map(rowOf), gone);
    }
  })();
  bringing.set(place.id, work);
  await work.finally(() => bringing.delete(place.id));
}

const project = (of: string) =>
  `join projects p on p.workspace_id = ${of}.workspace_id and p.id = ${of}.project_id ${projectOfCaller}`;
// Each lookup reads one row by its key.
export const SHOW = `
select x.text as passage, x.kind, x.source_id as id, s.revision::text as revision, x.start_at as start,
  x.end_at as "end"
from unnest($1::bigint[]) with ordinality f(number, place)
cross join lateral (select * from knowledge_passages x
  where x.workspace_id = current_workspace() and x.number = f.number limit 1) x
cross join lateral (
  select t.revision from tasks t ${project("t")}
  where x.kind in ('task_title', 'task_description') and t.workspace_id = current_workspace() and t.id = x.source_id
    and t.trashed_at is null and ${projectVisible}
  union all
  select c.revision from comments c join tasks t on t.workspace_id = c.workspace_id and t.id = c.task_id ${project("t")}
  where x.kind = 'comment' and c.workspace_id = current_workspace() and c.id = x.source_id
    and ${checked("c.deleted_at is null")} and t.trashed_at is null and ${projectVisible}
  union all
  select d.content_revision from documents d ${projectOfDocument}
  where x.kind = 'document' and d.workspace_id = current_workspace() and d.id = x.source_id
    and ${checked("d.trashed_at is null")} and ${documentVisible}
  union all
  select a.revision from attachments a ${placeOfAttachment}
  where x.kind = 'attachment' and a.workspace_id = current_workspace() and a.id = x.source_id and ${attachmentVisible}
    and t.trashed_at is null and d.trashed_at is null
    and a.scan_state in ('clean', 'not_scanned')
  limit 1
) s
order by f.place`;

const MOST_FOUND = 20;
export async function findPassages(
  read: Read,
  q: string,
  { most = MOST_FOUND, places }: { most?: number; places?: readonly SeenPlace[] } = {},
): Promise<SourcePassage[]> {
  const seen = places ?? (await read(placesSeen));
  if (seen.length === 0) return [];
  const asked = seen.map(({ id, gone }) => ({ id, gone }));
  let numbers: number[] = [];
  // Another question may evict a place before this one is asked.
  for (let attempt = 1; attempt <= 2; attempt++) {
    for (const place of seen) await bring(read, place);
    const { found, whole } = await beside.ask({ q, places: asked, most });
    numbers = found.map(({ number }) => number);
    if (whole) break;
  }
  return numbers.length === 0 ? [] : read((tx) => tx.rows<SourcePassage>(SHOW, [numbers]));
}
