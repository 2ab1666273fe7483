// SQL of mentions in Documents: by typed reference, or by @username in the text. Each revision is examined by itself,
// because its authors are not notified of their own mentions; only mentions that the newest revision still contains
// count. A person is notified once per Document.

import { projectOpenToWorker, workerOf } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { namesIn } from "./rules.ts";

/** Events that record a revision. */
export const written: readonly string[] = ["document.created", "document.content_updated"];

/** Same number as a content may have references. */
const MOST_MENTIONED = 500;

/** Texts of revision r that may contain usernames: neither code nor the labels of typed references. */
const words = `array(
  select n ->> 'text' from jsonb_path_query(r.content,
    'strict $.** ? (@.type != "code_block" && exists(@.content)).content[*] ? (@.text like_regex "@")') n
  where strpos(r.markdown, '@') > 0 and (n -> 'marks' @> '[{"type": "code"}]') is not true)`;
const revision = (which: string) => `cross join lateral (
  select * from document_revisions r
  where r.workspace_id = current_workspace() and r.document_id = d.id and r.revision = ${which} limit 1) r`;
const SAID = `
select e.id as event_id, d.id as document_id, r.author_actor_ids as authors, ${words} as words,
  array(select l.target_id from document_links l
    where l.workspace_id = current_workspace() and l.document_id = d.id and l.target_kind = 'person'
      and l.origin = 'content'
      and strpos(r.markdown, 'svc:person/' || l.target_id) > 0) as people,
  (select ${words} from (select) one ${revision("d.content_revision")} where d.content_revision > e.revision) as newest
from (
  select e.id, e.resource_id, e.occurred_at,
    case e.type when 'document.created' then 1 else (e.payload ->> 'to')::bigint end as revision
  from jsonb_to_recordset($1::jsonb) as e(id uuid, type text, resource_id uuid, payload jsonb, occurred_at timestamptz)
) e
cross join lateral (select * from documents d where d.workspace_id = current_workspace() and d.id = e.resource_id
  limit 1) d
${revision("e.revision")}
where d.trashed_at is null order by e.occurred_at, e.id`;
interface Said {
  event_id: string;
  document_id: string;
  authors: string[];
  people: string[];
  words: string[];
  /** Texts of the newest revision, if it is a later one. */
  newest: string[] | null;
}

const MENTION = `
insert into document_mentions (workspace_id, document_id, actor_id)
select d.workspace_id, d.id, m.actor_id from documents d
left join lateral (select * from projects where workspace_id = d.workspace_id and id = d.project_id limit 1) p on true
cross join (
  select unnest($2::uuid[]) as actor_id
  union select n.actor_id from member_names n
  where n.workspace_id = current_workspace() and n.part = 0 and n.name = any($3::text[])
) n
cross join ${workerOf("d.workspace_id", "n.actor_id")}
where d.workspace_id = current_workspace() and d.id = $1
  and case when d.project_id is null then m.kind = 'human' or m.project_ids = '{}' else ${projectOpenToWorker} end
on conflict do nothing
returning actor_id`;

/** The people named by the revisions of these events: Actors of typed references, and usernames. */
export const namedIn = async (tx: Queries, events: readonly object[]) =>
  (await tx.rows<Said>(SAID, [JSON.stringify(events)]))
    .map((said) => ({ ...said, names: namesOf(said) }))
    .filter(({ people, names }) => people.length + names.length > 0);

/** People mentioned in the revisions of these events who were not mentioned before. */
export async function mentionedIn(tx: Queries, events: readonly object[]) {
  const found: { event_id: string; actor_id: string }[] = [];
  for (const { event_id, document_id, authors, people, names } of await namedIn(tx, events)) {
    const mentioned = await tx.rows<{ actor_id: string }>(MENTION, [document_id, people, names]);
    for (const { actor_id } of mentioned) if (!authors.includes(actor_id)) found.push({ event_id, actor_id });
  }
  return found;
}
function namesOf({ words, newest }: Said): string[] {
  const names = namesIn(words, MOST_MENTIONED);
  if (newest === null || names.length === 0) return names;
  const kept = new Set(namesIn(newest, MOST_MENTIONED));
  return names.filter((name) => kept.has(name));
}
