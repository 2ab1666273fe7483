// SQL of event payloads: normalises their shapes into {from, to} by field name, and resolves the current names of the
// resources that they refer to. A resource that the reader does not see has no name.

import { nameOfActor } from "../../accounts/workspaces/people-view.ts";
import { documentVisible, projectOfDocument } from "../../knowledge/documents/access.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";

/**
 * The field that a single-value event changes. The people to include in a response are collected from any field called
 * actor_id.
 */
const fieldOf: Record<string, string> = {
  "task.status_changed": "status_id",
  "task.assigned": "actor_id",
  "task.priority_changed": "priority",
  "task.milestone_changed": "milestone_id",
  "task.description_changed": "description_markdown",
  "task.trashed": "trashed_at",
  "task.restored": "trashed_at",
  "milestone.stage_changed": "stage_id",
  "task.comment.updated": "markdown",
  "task.comment.deleted": "markdown",
};
const field = `case e.type ${Object.entries(fieldOf)
  .map(([type, name]) => `when '${type}' then '${name}'`)
  .join(" ")} end`;

/** Normalises a payload to {from, to} objects; a created resource has no `from`. Texts themselves are omitted. */
const normalised = `
select case
  when e.type = 'task.comment.created' then '{"to":{"markdown":"1"}}'
  when e.type like '%.created' then jsonb_build_object('to', e.payload)
  when e.payload ? 'related_task_id' then e.payload || jsonb_build_object('task_id', e.payload -> 'related_task_id')
  when f.field is null then e.payload - 'texts' - 'lost'
  when e.payload ? 'from' then jsonb_build_object('from', jsonb_build_object(f.field, e.payload -> 'from'),
    'to', jsonb_build_object(f.field, e.payload -> 'to'))
  else '{}' end as told
from (select ${field} as field) f`;

/** In a Project that the reader sees, or in no Project. */
const inSight = (alias: string) => `(${alias}.project_id is null or exists (
  select from projects p ${projectOfCaller}
  where p.workspace_id = ${alias}.workspace_id and p.id = ${alias}.project_id and ${projectVisible}))`;
const seenKey = (alias: string) => `cross join lateral (
  select p.key from projects p ${projectOfCaller}
  where p.workspace_id = ${alias}.workspace_id and p.id = ${alias}.project_id and ${projectVisible} limit 1) p`;
const here = (alias: string) => `where ${alias}.workspace_id = current_workspace() and ${alias}.id = i.id`;
/** Per reference field: the SQL that resolves its code and its name. */
const named: Record<string, string> = {
  status_id: `select null, s.name from statuses s ${here("s")} and ${inSight("s")}`,
  actor_id: `select null, a.display_name from (${nameOfActor("i.id")}) a`,
  milestone_id: `select p.key || '-M' || m.number, m.name from milestones m ${seenKey("m")} ${here("m")}`,
  project_id: `select p.key, p.name from projects p ${projectOfCaller} ${here("p")} and ${projectVisible}`,
  state_id: `select null, st.name from project_states st ${here("st")}`,
  stage_id: `select null, g.name from lifecycle_stages g ${here("g")}`,
  parent_id: `select null, d.title from documents d ${projectOfDocument} ${here("d")} and ${documentVisible}`,
  label_ids: `select null, l.name from label_definitions l ${here("l")} and ${inSight("l")}`,
  task_id: `select p.key || '-' || t.number, t.title from tasks t ${seenKey("t")} ${here("t")}`,
};
const names = `
select json_object_agg(i.id, json_build_object('code', n.code, 'name', n.name)) from (
  select distinct v.field, (x.id #>> '{}')::uuid as id from (
    select * from jsonb_each(case jsonb_typeof(n.told -> 'from') when 'object' then n.told -> 'from' else '{}' end)
    union all select * from jsonb_each(case jsonb_typeof(n.told -> 'to') when 'object' then n.told -> 'to'
      else '{}' end)
    union all select 'task_id', n.told -> 'task_id'
  ) v(field, value) cross join lateral jsonb_path_query(v.value, '$[*]') x(id)
  where v.field in (${Object.keys(named)
    .map((name) => `'${name}'`)
    .join(", ")}) and x.id <> 'null'
) i cross join lateral (
  ${Object.entries(named)
    .map(([name, sql]) => `(select * from (${sql} limit 1) x where i.field = '${name}')`)
    .join("\n  union all ")}
) n(code, name)`;

/** Two pairs of a JSON object, for an event e. */
export const told = `'told', n.told, 'names', (${names})`;
export const joinTold = `cross join lateral (${normalised}) n`;
