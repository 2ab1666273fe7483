// Who makes the order of a Workspace's Projects, and how one of them is put behind another, whichever operation asks for it.
import type { Access, Context } from "../kernel/implement.ts";
import { may } from "../workspaces/rules.ts";
import { inProject, type ProjectTarget, projectOfCaller, projectVisible } from "./access.ts";
import { projectMoved } from "./events.ts";
import { projectView } from "./view.ts";

// Movers queue on the Workspace, before any Project is touched: two of them would take the same place, or renumber against each other.
const QUEUE = "select from workspaces where id = current_workspace() for no key update";
const LOAD = `
select p.id, p.key, p.revision::text, ${inProject}, ${projectView} as json
from projects p ${projectOfCaller} where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;

/** The order is everybody's and not the Project's: its lead does not make it. */
export const ordered: Access<ProjectTarget> = {
  reach: "membership",
  load: async (tx, { project_id }, change) =>
    (await Promise.all([change && tx.rows(QUEUE), tx.maybe<ProjectTarget>(LOAD, [project_id])]))[1],
  permits: ({ member }) => may(member.role, "work:manage"),
};

/** $1 Workspace, $2 Project, $3 the one to stand behind. */
export const RENUMBER = `
update projects p set position = n.number * 1024 from (
  select q.id, row_number() over (order by q.id = $2 and $3::uuid is null desc, case when q.id = $2 then b.position else q.position end,
    case when q.id = $2 then b.id else q.id end, q.id = $2) as number
  from projects q left join projects b on b.workspace_id = $1 and b.id = $3
  where q.workspace_id = $1 and q.deleted_at is null
) n where p.workspace_id = $1 and p.id = n.id`;

export const recordMove = ({ record }: Context, { id }: ProjectTarget, from: string | null, to: string | null) =>
  record(projectMoved({ kind: "project", id, projectId: id }, { from, to }));

/** Behind one that is known to be there. */
export function placeProject(context: Context, target: ProjectTarget, from: string | null, to: string | null): void {
  const { tx, member, defer } = context;
  defer(tx.rows(RENUMBER, [member.workspaceId, target.id, to]));
  recordMove(context, target, from, to);
}
