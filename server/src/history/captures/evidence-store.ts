// SQL of evidence: collections, whose rows are immutable versions, and the current text of their sources, as far as the
// caller may read it.
//   evidenceAt(tx, id, version) -> one version of the caller's own, with its sources
//   stateOfEvidence(tx, id, version) -> whether its sources are as they were captured
import { MOST_FILE, MOST_SOURCES } from "@svc/contract/history/captures/evidence.ts";
import { documentVisible, projectOfDocument } from "../../knowledge/documents/access.ts";
import { attachmentVisible, placeOfAttachment } from "../../planning/attachments/access.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { checked } from "../../platform/database/sql.ts";
import { ownLive } from "./access.ts";
import type { StoredSource } from "./evidence-rules.ts";

export interface Evidence {
  id: string;
  version: number;
  title: string | null;
  sources: StoredSource[];
  created_at: string;
  expires_at: string;
}
const EVIDENCE = `
select id, version, title, sources, wire_time(created_at) as created_at, wire_time(expires_at) as expires_at
from evidence_collections where ${ownLive} and id = $1`;
const AT = `${EVIDENCE} and version = $2`;
const LATEST = `${EVIDENCE} order by version desc limit 1`;
export const evidenceAt = (tx: Queries, id: string, version: number) => tx.maybe<Evidence>(AT, [id, version]);
export const latestEvidence = (tx: Queries, id: string) => tx.maybe<Evidence>(LATEST, [id]);

const KEEP = `
insert into evidence_collections (workspace_id, actor_id, id, version, title, sources, created_at, expires_at)
values (current_workspace(), current_actor(), $1, $2, $3, $4::jsonb, $5, $6)`;
export const keepEvidence = (tx: Queries, { id, version, title, sources, created_at, expires_at }: Evidence) =>
  tx.rows(KEEP, [id, version, title, JSON.stringify(sources), created_at, expires_at]);

/** A source with its current revision and text. An empty page of a collection has one row without source. */
export interface SourceContent<S> {
  /** Number of sources in the whole collection. */
  count: number;
  source: S | null;
  /** Null if the source is deleted, in the trash, or not readable by the caller. */
  revision: string | null;
  /** Also null for a file, whose content is in object storage. */
  text: string | null;
}
const project = (of: string) =>
  `join projects p on p.workspace_id = ${of}.workspace_id and p.id = ${of}.project_id ${projectOfCaller}`;
// Each lookup reads one row by its key. A source in the trash is no longer evidence.
const said = (kept: string) => `
select jsonb_array_length(k.sources) as count, w.source, x.revision::text, x.text
from (${kept}) k
left join lateral (
  select e.source, e.place, e.source ->> 'kind' as kind, (e.source ->> 'resource_id')::uuid as id,
    (e.source -> 'excluded')::boolean as excluded
  from jsonb_array_elements(k.sources) with ordinality e(source, place) where e.place > $1::int order by e.place
  limit $2
) w on true
left join lateral (
  select t.revision, case w.kind when 'task_title' then t.title else t.description_markdown end as text
  from tasks t ${project("t")}
  where w.kind in ('task_title', 'task_description') and t.workspace_id = current_workspace() and t.id = w.id
    and t.trashed_at is null and ${projectVisible}
  union all
  select c.revision, c.markdown
  from comments c join tasks t on t.workspace_id = c.workspace_id and t.id = c.task_id ${project("t")}
  where w.kind = 'comment' and c.workspace_id = current_workspace() and c.id = w.id
    and ${checked("c.deleted_at is null")} and t.trashed_at is null and ${projectVisible}
  union all
  select d.content_revision, (
    select r.markdown from document_revisions r
    where r.workspace_id = d.workspace_id and r.document_id = d.id and r.revision = d.content_revision)
  from documents d ${projectOfDocument}
  where w.kind = 'document' and d.workspace_id = current_workspace() and d.id = w.id
    and ${checked("d.trashed_at is null")} and ${documentVisible}
  union all
  select a.revision, null
  from attachments a ${placeOfAttachment}
  where w.kind = 'attachment' and a.workspace_id = current_workspace() and a.id = w.id and ${attachmentVisible}
    and t.trashed_at is null and d.trashed_at is null
    and a.content_type like 'text/%' and a.size <= ${MOST_FILE} and a.scan_state in ('clean', 'not_scanned')
  limit 1
) x on w.excluded is not true
order by w.place`;

const SAID_IN = said(`select sources from evidence_collections where ${ownLive} and id = $3 and version = $4`);
/** Reads the current state of one page of a version's sources. No rows: the version does not exist. */
export const saidIn = (tx: Queries, id: string, version: number, offset: number, limit: number) =>
  tx.rows<SourceContent<StoredSource>>(SAID_IN, [offset, limit, id, version]);

// A file is immutable under its id, so its text is not compared.
const STATE = `
select case
  when bool_and(s.source is null or (s.source -> 'excluded')::boolean or s.revision is not null) is not true
    then 'unavailable'
  when bool_or(s.text is not null and encode(sha256(convert_to(s.text, 'UTF8')), 'hex') <> s.source ->> 'text_digest')
    then 'changed'
  else 'current' end as state
from (${SAID_IN}) s`;
type EvidenceState = "current" | "changed" | "unavailable";
/**
 * State of a version over its sources that are not excluded: one is unreadable for the caller, one has changed, or all
 * are as captured.
 */
export const stateOfEvidence = async (tx: Queries, id: string, version: number): Promise<EvidenceState> =>
  (await tx.one<{ state: EvidenceState }>(STATE, [0, MOST_SOURCES, id, version])).state;

const SAID_BY = said("select $3::jsonb as sources");
/** Reads the current state of these sources, in their order. */
export const saidBy = <S extends Pick<StoredSource, "kind" | "resource_id">>(tx: Queries, sources: readonly S[]) =>
  tx.rows<SourceContent<S>>(SAID_BY, [0, MOST_SOURCES, JSON.stringify(sources)]);
