// SQL of search, for everybody who shows results:
//   findMatches(tx, { q, type?, projectId? or projectKey?, category? }, { after, limit }) -> Match[] (limit + 1 rows at
//   most, best first)
//   keyOf(match) -> the JSON key after which the next page starts
// A Match has the Task's code, title and Status, or the Document's path and title, in addition to the matching text.
// view.ts decides what to show of it. The candidates come from a function that reads the index as its owner: no
// condition on words is leakproof, so under row-level security none could use an index. All results pass row-level
// security and the one predicate for visible Projects.

import {
  allProjectsVisible,
  callerNarrowed,
  projectOfCaller,
  projectVisible,
  visibleProjects,
} from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { checked } from "../../platform/database/sql.ts";
import { LAST_ID, NIL } from "../../platform/wire/ids.ts";

export type SearchKind = "task" | "comment" | "document";
export interface Match {
  type: SearchKind;
  id: string;
  /** Null for a Document in no Project. */
  project_id: string | null;
  project_key: string | null;
  /** Set if the match belongs to a Task. */
  task_id: string | null;
  code: string | null;
  /** Set for a Document. */
  path: string | null;
  title: string;
  /** Up to 300 characters around the first match in the description, the comment or the Document. */
  text: string;
  /** The searched words, lowercase. */
  words: string[];
  status_id: string | null;
  status_name: string | null;
  category: string | null;
  author_actor_id: string;
  assignee_actor_id: string | null;
  updated_at: string;
  score: number;
}
export interface SearchQuery {
  /** Trimmed query. */
  q: string;
  type?: SearchKind;
  projectId?: string;
  /** The Project's key, as an alternative to its id. */
  projectKey?: string;
  category?: string;
}

/** Score of a match by code, above every other score. */
const BY_CODE = 1e9;
const MOST_RANKED = 900;
/** Number of visible Projects up to which the search is restricted to them in advance. */
const MOST_PLACES = 500;

/**
 * Up to 300 characters around the first match; searches again for the start of a word only if the match is inside one.
 */
const AROUND = `case when octet_length(b.body) <= 300 then b.body else (
  select substr(c.body, greatest(1, c.at - 80), 300) from (
    select a.body, case when a.at > 1 and substr(a.body, a.at - 1, 1) ~ '[[:alnum:]]'
      then coalesce(nullif(regexp_instr(a.body,
        '(?<![[:alnum:]])(?:' || (select string_agg(regexp_replace(w, '([^[:alnum:]])', '\\\\\\1', 'g'), '|')
        from unnest(q.words) w) || ')', 1, 1, 0, 'i'), 0), a.at) else a.at end as at
    from (
      select left(b.body, 100000) as body,
        (select coalesce(min(nullif(position(w in lower(left(b.body, 100000))), 0)), 1) from unnest(q.words) w) as at
    ) a) c) end`;

// Finds a Task by its current code or, if no Task has that, by a former one.
const CODED = `, code as materialized (
  select c.id from (
    select t.id, 1 as place from projects p join tasks t on t.workspace_id = p.workspace_id and t.project_id = p.id
    where p.workspace_id = current_workspace() and p.key = $8 and t.number = $9::bigint
    union all
    select c.task_id, 2 from projects p join task_codes c on c.workspace_id = p.workspace_id and c.project_id = p.id
    where p.workspace_id = current_workspace() and p.key = $8 and c.number = $9::bigint
    order by place limit 1
  ) c where $2::text is null or $2 = 'task'
), ranked as (
  select 'task' as kind, c.id, c.id as task_id, ${BY_CODE}::float8 as score from code c
  union all select * from found where id not in (select id from code)
)`;

// Words that the index does not contain match nothing: mistyped words are corrected only if nothing matches.
const find = (project: string, coded: boolean) => `
/* reads up to 5000: which Projects the caller sees, and of whatever was found what it is now */
with caller as materialized (
  select search_terms($1) as terms, p.places, p.places is not null or ${allProjectsVisible} as seen
  from (select case when ${project} is not null then array[${project}] when not ${allProjectsVisible} then (
    select case when v.places is not null then v.places || current_workspace() end
    from (${visibleProjects(MOST_PLACES)}) v(places)) end as places offset 0) p
), plain as materialized (
  select m.* from caller c, search_matches(c.terms, $2, c.places, c.seen) m
), asked as materialized (
  select case when c.seen and not exists (select from plain) then search_mended(c.terms, c.places)
    else c.terms end as terms from caller c
), matches as materialized (
  select * from plain
  union all select m.* from caller c, asked a, search_matches(a.terms, $2, c.places, c.seen) m where a.terms <> c.terms
), found as (
  select m.kind, m.id, m.task_id, m.score from matches m
  where (select seen from caller) or m.project_id = current_workspace() or (m.project_id in (
    select m.project_id from (select distinct project_id from matches) m cross join lateral (
      select from projects p ${projectOfCaller}
      where p.workspace_id = current_workspace() and p.id = m.project_id and ${projectVisible} limit 1) p)) is true
)${coded ? CODED : ""}
select f.kind as type, f.id, o.project_id, p.key as project_key, t.id as task_id, p.key || '-' || t.number as code,
  d.path, o.title, ${AROUND} as text, q.words,
  t.status_id, s.name as status_name, s.category,
  case f.kind when 'task' then t.created_by_actor_id when 'comment' then m.author_actor_id
    else d.created_by_actor_id end as author_actor_id, t.assignee_actor_id,
  wire_time(case f.kind when 'task' then t.updated_at when 'comment' then m.updated_at
    else d.updated_at end) as updated_at, f.score
from (select string_to_array(replace(array_to_string(terms, ' '), '*', ''), ' ') as words from asked) q
cross join lateral (
  select * from ${coded ? "ranked" : "found"} f where (f.score, f.id) < ($4::float8, $5::uuid)
  order by f.score desc, f.id desc limit ${MOST_RANKED + 1}
) f
left join lateral (select * from tasks t where t.workspace_id = current_workspace() and t.id = f.task_id limit 1) t
  on f.kind <> 'document'
left join lateral (select * from documents d where d.workspace_id = current_workspace() and d.id = f.id limit 1) d
  on f.kind = 'document'
cross join lateral (select case f.kind when 'document' then d.project_id else t.project_id end as project_id,
  case f.kind when 'document' then d.title else t.title end as title,
  case f.kind when 'document' then d.trashed_at else t.trashed_at end as trashed_at) o
left join lateral (
  select p.key from projects p ${projectOfCaller}
  where p.workspace_id = current_workspace() and p.id = o.project_id and ${projectVisible} limit 1
) p on true
left join lateral (select s.name, s.category from statuses s
  where s.workspace_id = current_workspace() and s.id = t.status_id limit 1) s on true
left join lateral (
  select * from comments m where m.workspace_id = current_workspace() and m.id = f.id
    and ${checked("m.deleted_at is null")} limit 1
) m on f.kind = 'comment'
cross join lateral (select case f.kind when 'task' then t.description_markdown when 'comment' then m.markdown else (
  select r.text from document_revisions r
  where r.workspace_id = current_workspace() and r.document_id = d.id
    and r.revision = d.content_revision) end as body) b
where o.title is not null and o.trashed_at is null
  and (p.key is not null or f.kind = 'document' and o.project_id is null and not ${callerNarrowed})
  and (f.kind <> 'comment' or m.id is not null) and (${project} is null or o.project_id = ${project})
  and ($7::text is null or s.category = $7)
order by f.score desc, f.id desc limit $6`;
const BY_ID = "$3::uuid";
/** An unknown Project matches nothing. */
const BY_KEY = `coalesce((select k.id from projects k where k.workspace_id = current_workspace() and k.key = $3),
  '${NIL}')`;
const FIND = { byId: find(BY_ID, false), byKey: find(BY_KEY, false) };
const FIND_CODE = { byId: find(BY_ID, true), byKey: find(BY_KEY, true) };

const CODE = /^([a-z][a-z0-9]{1,9})-([1-9]\d{0,16})$/i;

export function findMatches(
  tx: Queries,
  { q, type, projectId, projectKey, category }: SearchQuery,
  page: { after: readonly (string | number | null)[] | null; limit: number },
): Promise<Match[]> {
  const by = projectKey === undefined ? "byId" : "byKey";
  const after = page.after ?? ["infinity", LAST_ID];
  const values = [q, type ?? null, projectKey ?? projectId ?? null, ...after, page.limit + 1, category ?? null];
  const [, key, number] = CODE.exec(q) ?? [];
  if (key === undefined) return tx.rows<Match>(FIND[by], values);
  return tx.rows<Match>(FIND_CODE[by], [...values, key.toUpperCase(), number]);
}

export const keyOf = ({ score, id }: Match): string => JSON.stringify([score, id]);
