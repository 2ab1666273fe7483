// Access rule and SQL for ordering a Workspace's Projects, shared by every operation.

import { may } from "../../accounts/workspaces/rules.ts";
import type { Access, Context } from "../../platform/kernel/implement-operation.ts";
import { inProject, type ProjectTarget, projectOfCaller, projectVisible } from "./access.ts";
import { projectMoved } from "./events.ts";
import { projectView } from "./view.ts";

// Moves serialize on the Workspace row, before any Project is locked: concurrent moves could otherwise take the same
// position, or renumber against each other.
const QUEUE = "select from workspaces where id = current_workspace() for no key update";
const LOAD = `
select p.id, p.key, p.revision::text, ${inProject}, ${projectView} as json
from projects p ${projectOfCaller} where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;

/** The order belongs to the Workspace: a Project lead may not change it. */
export const ordered: Access<ProjectTarget> = {
  reach: "membership",
  load: async (tx, { project_id }, change) =>
    (await Promise.all([change && tx.rows(QUEUE), tx.maybe<ProjectTarget>(LOAD, [project_id])]))[1],
  permits: ({ member }) => may(member.role, "work:manage"),
};

// $1 Workspace, $2 Project, $3 its new predecessor. `known` is false if the predecessor is not valid; `placed` is false
// if there is no room, or if the Project is there `already`.
const place = (behind: boolean) => `
with before as (${
  behind
    ? `
  select p.position, p.id from projects p ${projectOfCaller}
  where p.workspace_id = $1 and p.id = $3 and p.id <> $2 and ${projectVisible}`
    : "select '-Infinity'::float8 as position, null::uuid as id where $3::uuid is null"
}
), behind as (
  select n.position, n.id from before left join lateral (
    select p.position, p.id from projects p where p.workspace_id = $1 and p.deleted_at is null and p.id <> $2
      ${behind ? "and (p.position, p.id) > (before.position, before.id)" : ""}
    order by p.position, p.id limit 1
  ) n on true
), here as (
  select p.id from projects p, before, behind where p.workspace_id = $1 and p.id = $2
    and (behind.id is null or (p.position, p.id) < (behind.position, behind.id))
    ${behind ? "and (p.position, p.id) > (before.position, before.id)" : ""}
), room as (
  select before.position as low, behind.position as high, case
    when before.position = '-Infinity' then coalesce(behind.position, 2048) - 1024
    when behind.position is null then before.position + 1024
    else before.position + (behind.position - before.position) / 2 end as middle
  from before, behind
), placed as (
  update projects p set position = middle from room
  where p.workspace_id = $1 and p.id = $2 and middle > low and (high is null or middle < high)
    and not exists (select from here) returning p.id
)
select exists (select from before) as known, exists (select from here) as already,
  exists (select from placed) as placed`;
export const PLACE = { behind: place(true), first: place(false) };

const STANDS = `
select from projects p where p.workspace_id = $1 and p.id = $2 and (
  select o.id from projects o
  where o.workspace_id = $1 and o.deleted_at is null and (o.position, o.id) < (p.position, p.id)
  order by o.position desc, o.id desc limit 1) is not distinct from $3`;
/** $1 Workspace, $2 Project, $3 its new predecessor. Changes nothing if the Project already follows it. */
export const RENUMBER = `
update projects p set position = n.number * 1024 from (
  select q.id, row_number() over (order by q.id = $2
    and $3::uuid is null desc, case when q.id = $2 then b.position else q.position end,
    case when q.id = $2 then b.id else q.id end, q.id = $2) as number
  from projects q left join projects b on b.workspace_id = $1 and b.id = $3
  where q.workspace_id = $1 and q.deleted_at is null
) n where p.workspace_id = $1 and p.id = n.id and not exists (${STANDS})`;

export const recordMove = ({ record }: Context, { id }: ProjectTarget, from: string | null, to: string | null) =>
  record(projectMoved({ kind: "project", id, projectId: id }, { from, to }));

/** Moves the Project behind a predecessor that is known to exist. */
export function placeProject(context: Context, target: ProjectTarget, from: string | null, to: string | null): void {
  const { tx, member, defer } = context;
  const values = [member.workspaceId, target.id, to];
  // RENUMBER changes rows only if this found no room.
  defer(tx.rows(to === null ? PLACE.first : PLACE.behind, values));
  defer(tx.rows(RENUMBER, values));
  recordMove(context, target, from, to);
}
