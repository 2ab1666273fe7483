// Public view of a published Project. The public id finds the Workspace, in which the Project is read without a user:
// fields not named here stay private. Every reason not to show it gives the same response.
import * as contract from "@svc/contract/planning/projects/publication.ts";
import { view } from "../../platform/database/view.ts";
import { implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { MOST_COUNTED, milestoneProgress } from "./milestone/progress.ts";

const FIND = `
select b.workspace_id, b.resource_id from publications b
join workspaces w on w.id = b.workspace_id and w.archived_at is null
where b.public_id = $1 and b.kind = 'project'`;

const categories = ["backlog", "unstarted", "started", "completed", "cancelled"] as const;
// Reads one more Task per Status than it counts, to detect that there are more.
const counts = `
(select json_build_object(${categories
  .map((name) => `'${name}', coalesce(sum(least(c.n, ${MOST_COUNTED})) filter (where c.category = '${name}'), 0)`)
  .join(", ")}, 'capped', coalesce(bool_or(c.n > ${MOST_COUNTED}), false))
 from (
   select s.category, (select count(*) from (
     select from tasks t where t.workspace_id = p.workspace_id and t.project_id = p.id and t.status_id = s.id
       and t.trashed_at is null
     limit ${MOST_COUNTED} + 1) t) as n
   from statuses s where s.workspace_id = p.workspace_id and s.archived_at is null
     and (s.project_id is null or s.project_id = p.id)
 ) c)`;

const MOST_MILESTONES = 50;
const milestones = `
(select coalesce(json_agg(json_build_object('code', p.key || '-M' || m.number, 'name', m.name,
  'target_date', m.target_date,
    'stage', (select json_build_object('name', g.name, 'category', g.category) from lifecycle_stages g
      where g.workspace_id = m.workspace_id and g.id = m.stage_id),
    'progress', ${milestoneProgress("m")}) order by m.number), '[]')
 from (select * from milestones where workspace_id = p.workspace_id and project_id = p.id and deleted_at is null
   order by number limit ${MOST_MILESTONES}) m)`;

const READ = `
select /* reads all that it adds up: at most 10,001 Tasks of each Status and Milestone */ ${view(
  contract.PublicProject,
  "p",
  {
    state: `(select json_build_object('name', st.name, 'category', st.category) from project_states st
    where st.workspace_id = p.workspace_id and st.id = p.state_id)`,
    counts,
    milestones,
    more_milestones: `exists (select from milestones
    where workspace_id = p.workspace_id and project_id = p.id and deleted_at is null
    offset ${MOST_MILESTONES})`,
  },
)} as json
from projects p
where p.workspace_id = current_workspace() and p.id = $1 and p.public_id = $2 and p.deleted_at is null
  and p.visibility = 'workspace'`;

export const getPublicProject = implementWithEffects(
  contract.getPublicProject,
  open(),
  async ({ read }, { params: { public_id } }) => {
    const found = await read((tx) => tx.maybe<{ workspace_id: string; resource_id: string }>(FIND, [public_id]));
    if (!found) return refuse("not_found");
    const shown = (await read(
      (tx) => tx.maybe<{ json: string }>(READ, [found.resource_id, public_id]),
      found.workspace_id,
    )) as { json: string } | undefined;
    return shown ?? refuse("not_found");
  },
);
