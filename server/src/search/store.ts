// SQL of search, for everybody who shows results:
//   findMatches(tx, { q, type?, projectId? or projectKey?, category? }, { after, limit }) -> Match[] (limit + 1 rows at most, best first)
//   keyOf(match) -> the JSON key after which the next page starts
// A Match has the Task's code, title and Status beside what was found. What to show of it is decided in view.ts.
// The candidates come from a function that reads the index as its owner: no condition on words is leakproof, so under row-level security
// none could use an index. Everything that is shown passes row-level security and the one predicate of who sees a Project.
import type { Queries } from "../database/db.ts";
import { projectOfCaller, projectVisible } from "../projects/access.ts";
import { LAST_ID, NIL } from "../wire/ids.ts";

export interface Match {
  type: "task" | "comment";
  id: string;
  project_id: string;
  project_key: string;
  task_id: string;
  code: string;
  title: string;
  /** Up to 300 characters around the first match in the description or the comment. */
  text: string;
  /** What was looked for, lowercase. */
  words: string[];
  status_id: string;
  status_name: string;
  category: string;
  author_actor_id: string;
  assignee_actor_id: string | null;
  updated_at: string;
  score: number;
}
export interface Asked {
  /** Trimmed. */
  q: string;
  type?: "task" | "comment";
  projectId?: string;
  /** In its place, the Project's key. */
  projectKey?: string;
  category?: string;
}

/** Before everything that has a score of its own. */
const BY_CODE = 1e9;
/** The text around the first of the words; looked for as the beginning of one only where it stands within another before. */
const around = (text: string) => `(
  select substr(b.body, greatest(1, b.at - 80), 300) from (
    select a.body, case when a.at > 1 and substr(a.body, a.at - 1, 1) ~ '[[:alnum:]]'
      then coalesce(nullif(regexp_instr(a.body, '(?<![[:alnum:]])(?:' || (select string_agg(regexp_replace(w, '([^[:alnum:]])', '\\\\\\1', 'g'), '|') from unnest(f.words) w) || ')', 1, 1, 0, 'i'), 0), a.at) else a.at end as at
    from (
      select left(${text}, 30000) as body,
        (select coalesce(min(nullif(position(w in lower(left(${text}, 30000))), 0)), 1) from unnest(f.words) w) as at
    ) a) b)`;

// By the code that it has or, where no other has that now, by one that it had.
const find = (project: string) => `
with code as materialized (
  select c.id from (
    select t.id, 1 as place from projects p join tasks t on t.workspace_id = p.workspace_id and t.project_id = p.id
    where p.workspace_id = current_workspace() and p.key = $7 and t.number = $8::bigint
    union all
    select c.task_id, 2 from projects p join task_codes c on c.workspace_id = p.workspace_id and c.project_id = p.id
    where p.workspace_id = current_workspace() and p.key = $7 and c.number = $8::bigint
    order by place limit 1
  ) c where $2::text is distinct from 'comment'
)
select f.kind as type, f.id, t.project_id, p.key as project_key, t.id as task_id, p.key || '-' || t.number as code, t.title,
  case when f.kind = 'task' then ${around("t.description_markdown")} else ${around("m.markdown")} end as text, f.words,
  t.status_id, s.name as status_name, s.category,
  case when f.kind = 'task' then t.created_by_actor_id else m.author_actor_id end as author_actor_id, t.assignee_actor_id,
  wire_time(case when f.kind = 'task' then t.updated_at else m.updated_at end) as updated_at, f.score
from (
  select f.* from (
    select 'task' as kind, c.id, c.id as task_id, ${BY_CODE}::float8 as score, array[lower($7), $8::bigint::text] as words from code c
    union all
    select f.kind, f.id, f.task_id, f.score, f.words from search_candidates($1, $2, ${project}) f
    where not exists (select from code c where c.id = f.id)
  ) f where (f.score, f.id) < ($4::float8, $5::uuid) order by f.score desc, f.id desc limit 901
) f
cross join lateral (
  select * from tasks t where t.workspace_id = current_workspace() and t.id = f.task_id limit 1
) t
cross join lateral (
  select p.key from projects p ${projectOfCaller} where p.workspace_id = t.workspace_id and p.id = t.project_id and ${projectVisible} limit 1
) p
cross join lateral (select s.name, s.category from statuses s where s.workspace_id = t.workspace_id and s.id = t.status_id limit 1) s
left join lateral (
  select * from comments m where f.kind = 'comment' and m.workspace_id = t.workspace_id and m.id = f.id limit 1
) m on true
where t.trashed_at is null and (f.kind = 'task' or m.id is not null and m.deleted_at is null) and (${project} is null or t.project_id = ${project}) and ($9::text is null or s.category = $9)
order by f.score desc, f.id desc limit $6`;
const FIND = find("$3::uuid");
/** One that does not exist has nothing in it. */
const FIND_BY_KEY = find(
  `coalesce((select k.id from projects k where k.workspace_id = current_workspace() and k.key = $3), '${NIL}')`,
);

const CODE = /^([a-z][a-z0-9]{1,9})-([1-9]\d{0,16})$/i;

export function findMatches(
  tx: Queries,
  { q, type, projectId, projectKey, category }: Asked,
  page: { after: readonly (string | number | null)[] | null; limit: number },
): Promise<Match[]> {
  const [, key, number] = CODE.exec(q) ?? [];
  const after = page.after ?? ["infinity", LAST_ID];
  const asked = [q, type ?? null, projectKey ?? projectId ?? null, ...after, page.limit + 1];
  const sql = projectKey === undefined ? FIND : FIND_BY_KEY;
  return tx.rows<Match>(sql, [...asked, key?.toUpperCase() ?? null, number ?? null, category ?? null]);
}

export const keyOf = ({ score, id }: Match): string => JSON.stringify([score, id]);
