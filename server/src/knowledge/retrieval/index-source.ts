// Indexes due sources: reads a source, splits it, embeds the passages, and writes them in one short transaction if the
// source is unchanged. A source that fails stays due. Access is not decided here.
import { createHash } from "node:crypto";
import { objectKeys } from "../../planning/attachments/store.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import type { Database, Queries } from "../../platform/database/db.ts";
import { checked } from "../../platform/database/sql.ts";
import type { Storage } from "../../platform/outside/external-systems.ts";
import { isRead, MOST_BYTES, textOfFile } from "./extraction/file-rules.ts";
import { passagesOf } from "./extraction/passages.ts";
import { termsOf } from "./index/words.ts";
import { beside, type PassageKind } from "./store.ts";

export interface DueSource {
  workspace_id: string;
  kind: "task" | "comment" | "document" | "attachment";
  id: string;
  asked_at: string;
}
interface Source {
  place_id: string;
  owner_id: string | null;
  /** Changes with everything that the passages depend on. */
  stamp: string;
  title: string;
  text: string;
  /** Set for a file. */
  content_type: string | null;
}
/** Selects the source, unless it is trashed, deleted or may not be downloaded. */
const SOURCES: Record<DueSource["kind"], string> = {
  task: `select t.project_id as place_id, null::uuid as owner_id, t.revision::text as stamp, t.title,
  t.description_markdown as text, null as content_type
from tasks t where t.workspace_id = current_workspace() and t.id = $1 and t.trashed_at is null`,
  comment: `select t.project_id as place_id, t.id as owner_id, c.revision || ' ' || t.revision as stamp, t.title,
  c.markdown as text, null as content_type
from comments c join tasks t on t.workspace_id = c.workspace_id and t.id = c.task_id
where c.workspace_id = current_workspace() and c.id = $1 and ${checked("c.deleted_at is null")}
  and t.trashed_at is null`,
  document: `select case when d.project_id is null then d.workspace_id else d.project_id end as place_id,
  null::uuid as owner_id, d.revision || ' ' || d.content_revision as stamp, d.title, (
  select r.markdown from document_revisions r
  where r.workspace_id = d.workspace_id and r.document_id = d.id and r.revision = d.content_revision) as text,
    null as content_type
from documents d where d.workspace_id = current_workspace() and d.id = $1 and ${checked("d.trashed_at is null")}`,
  attachment: `select case when a.task_id is not null then t.project_id when a.document_id is null then a.project_id
    when d.project_id is null then d.workspace_id else d.project_id end as place_id,
      case when a.task_id is null then a.document_id else a.task_id end as owner_id,
  a.revision || ' ' || case when t.revision is null then 0 else t.revision end || ' '
    || case when d.revision is null then 0 else d.revision end as stamp, a.filename as title, '' as text, a.content_type
from attachments a left join tasks t on t.workspace_id = a.workspace_id and t.id = a.task_id
left join documents d on d.workspace_id = a.workspace_id and d.id = a.document_id
where a.workspace_id = current_workspace() and a.id = $1 and a.state = 'stored'
  and a.scan_state in ('clean', 'not_scanned') and a.attached_at is not null and a.size <= ${MOST_BYTES}
  and (a.task_id is null or t.trashed_at is null) and (a.document_id is null or d.trashed_at is null)
  and (a.task_id is not null or a.document_id is not null or a.project_id is not null)`,
};
/** The share locks block changes of the source, and of the Task or Document that it belongs to, until the commit. */
const HELD: Record<DueSource["kind"], string> = {
  task: `${SOURCES.task} for share of t`,
  comment: `${SOURCES.comment} for share of c, t`,
  document: `${SOURCES.document} for share of d`,
  attachment: `${SOURCES.attachment} for share of a`,
};
const HOLD_OWNER = ["tasks", "documents"].map(
  (table) => `select from ${table} where workspace_id = current_workspace() and id = $1 for share`,
);

interface Cut {
  kind: PassageKind;
  start: number;
  end: number;
  text: string;
  /** The text to embed: the headings and the passage. */
  telling: string;
}
const whole = (kind: PassageKind, text: string): Cut[] =>
  text.trim() === "" ? [] : [{ kind, start: 0, end: text.length, text, telling: text }];
const cut = (kind: PassageKind, text: string, title: string): Cut[] =>
  passagesOf(text, title).map(({ heading, start, end }) => {
    const own = text.slice(start, end);
    return { kind, start, end, text: own, telling: `${heading}\n${own}` };
  });
async function cutsOf({ workspace_id, kind, id }: DueSource, source: Source, storage: Storage): Promise<Cut[]> {
  if (kind === "comment" || kind === "document") return cut(kind, source.text, source.title);
  if (kind === "task")
    return [...whole("task_title", source.title), ...cut("task_description", source.text, source.title)];
  if (!isRead(source.content_type as string)) return [];
  const bytes = await storage.get(objectKeys(workspace_id, id).file);
  const text = bytes && (await textOfFile(source.content_type as string, bytes));
  return text ? cut("attachment", text, source.title) : [];
}

// No row if the place is not in the index.
const NEXT = `
update knowledge_places set version = nextval('knowledge_versions')
where workspace_id = current_workspace() and place_id = $1 and not leaving
returning version::text`;
const REMOVE = `
with gone as (delete from knowledge_passages where workspace_id = current_workspace() and source_id = $1
  returning place_id)
insert into knowledge_gone (workspace_id, place_id, source_id) select distinct current_workspace(), place_id, $1::uuid
from gone where place_id is distinct from $2::uuid`;
const ADD = `
insert into knowledge_passages (workspace_id, place_id, kind, source_id, owner_id, start_at, end_at, text, terms,
  vector, version)
select current_workspace(), $1, p.kind, $2, $3, p.start_at, p.end_at, p.text, decode(p.terms, 'base64'),
  decode(p.vector, 'base64'), $4::bigint
from json_to_recordset($5::json) as p(kind text, start_at integer, end_at integer, text text, terms text, vector text)
order by p.start_at`;
const DONE = `delete from knowledge_due
    where workspace_id = current_workspace() and kind = $1 and id = $2 and asked_at = $3::timestamptz`;

const base64 = (array: Uint32Array | Int8Array) =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
/** Number of passages embedded at once, so that a question does not wait for all of them. */
const AT_ONCE = 4;
/**
 * Caches vectors of recent passages by their text: after one word of a long Document changes, only one passage is new.
 * Equal texts have equal vectors, whoever wrote them.
 */
const MOST_KNOWN = 20_000;
const known = new Map<string, Int8Array | null>();
const keyOf = (telling: string) => createHash("sha256").update(telling).digest("base64");
async function vectorsOf(cuts: readonly Cut[]): Promise<(Int8Array | null)[]> {
  const keys = cuts.map(({ telling }) => keyOf(telling));
  const found = new Map(keys.flatMap((key) => (known.has(key) ? [[key, known.get(key) ?? null] as const] : [])));
  const fresh = cuts.flatMap(({ telling }, at) => (found.has(keys[at] as string) ? [] : [telling]));
  for (let from = 0; from < fresh.length; from += AT_ONCE) {
    const texts = fresh.slice(from, from + AT_ONCE);
    for (const [at, vector] of (await beside.read(texts)).entries()) found.set(keyOf(texts[at] as string), vector);
  }
  for (const [key, vector] of found) {
    known.delete(key);
    known.set(key, vector);
  }
  for (const key of known.keys()) {
    if (known.size <= MOST_KNOWN) break;
    known.delete(key);
  }
  return keys.map((key) => found.get(key) ?? null);
}
async function rowsOf(cuts: readonly Cut[]) {
  const vectors = await vectorsOf(cuts);
  return cuts.map(({ kind, start, end, text, telling }, at) => {
    const vector = vectors[at];
    const terms = base64(termsOf(telling));
    return { kind, start_at: start, end_at: end, text, terms, vector: vector ? base64(vector) : null };
  });
}

async function write(tx: Queries, due: DueSource, source: Source | undefined, rows: unknown[]): Promise<void> {
  if (source?.owner_id) await Promise.all(HOLD_OWNER.map((sql) => tx.rows(sql, [source.owner_id])));
  const now = await tx.maybe<Source>(HELD[due.kind], [due.id]);
  if (now?.stamp !== source?.stamp || now?.place_id !== source?.place_id) return;
  const next = now && (await tx.maybe<{ version: string }>(NEXT, [now.place_id]));
  await Promise.all([
    tx.rows(REMOVE, [due.id, next ? now.place_id : null]),
    ...(next && rows.length > 0
      ? [tx.rows(ADD, [now.place_id, due.id, now.owner_id, next.version, JSON.stringify(rows)])]
      : []),
    tx.rows(DONE, [due.kind, due.id, due.asked_at]),
  ]);
}

const THERE = `
select place_id, kind, start_at, end_at, text, vector is not null as understood from knowledge_passages
where workspace_id = current_workspace() and source_id = $1 order by start_at, kind`;
interface There {
  place_id: string;
  kind: PassageKind;
  start_at: number;
  end_at: number;
  text: string;
  understood: boolean;
}
/** Events may be processed more than once: a source whose index entries are current is skipped. */
const isThere = (source: Source | undefined, cuts: readonly Cut[], there: readonly There[]) =>
  there.length === cuts.length &&
  cuts
    .toSorted((one, other) => one.start - other.start || (one.kind < other.kind ? -1 : 1))
    .every(({ kind, start, end, text }, at) => {
      const row = there[at] as There;
      const same = row.kind === kind && row.start_at === start && row.end_at === end && row.text === text;
      return same && row.understood && row.place_id === source?.place_id;
    });

/** Indexes a source. If it changes meanwhile, it stays due. */
export async function indexSource(
  { writer }: Pick<Database, "writer">,
  storage: Storage,
  due: DueSource,
): Promise<void> {
  const within = <T>(work: (tx: Queries) => Promise<T>) => inWorkspace(writer, due.workspace_id, work);
  const [source, there] = await within((tx) =>
    Promise.all([tx.maybe<Source>(SOURCES[due.kind], [due.id]), tx.rows<There>(THERE, [due.id])]),
  );
  const cuts = source ? await cutsOf(due, source, storage) : [];
  if (isThere(source, cuts, there)) await within((tx) => tx.rows(DONE, [due.kind, due.id, due.asked_at]));
  else {
    const rows = await rowsOf(cuts);
    await within((tx) => write(tx, due, source, rows));
  }
}
