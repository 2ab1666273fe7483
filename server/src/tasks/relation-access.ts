// Who sees a relation: whoever sees both of its Tasks. Who may change one of the two may change it.
import type { Access, Context } from "../kernel/implement.ts";
import { projectOfCaller, projectVisible } from "../projects/access.ts";
import { type ProjectRole, workCapabilities } from "../projects/rules.ts";
import { HOLD } from "../workspaces/access.ts";
import type { Kind } from "./relation-rules.ts";

export interface RelationTarget {
  id: string;
  kind: Kind;
  revision: string;
  from_task_id: string;
  to_task_id: string;
  from_project_id: string;
  to_project_id: string;
  from_role: ProjectRole | null;
  to_role: ProjectRole | null;
  /** One of the two lies in the trash. */
  trashed: boolean;
}

const end = (column: string) => `
cross join lateral (
  select t.project_id, t.trashed_at, pm.role
  from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
  where t.workspace_id = r.workspace_id and t.id = r.${column} and ${projectVisible} limit 1)`;
const LOAD = `
select r.id, r.kind, r.revision::text, r.from_task_id, r.to_task_id, f.project_id as from_project_id,
  o.project_id as to_project_id, f.role as from_role, o.role as to_role, num_nonnulls(f.trashed_at, o.trashed_at) > 0 as trashed
from task_relations r ${end("from_task_id")} f ${end("to_task_id")} o
where r.workspace_id = current_workspace() and r.id = $1 for no key update of r`;

/** What the caller may do to the end to which it may do more. */
export const relationCapabilities = ({ member }: Context, { from_role, to_role }: RelationTarget) =>
  [from_role, to_role]
    .map((role) => workCapabilities(member.role, role))
    .reduce((most, other) => (other.length > most.length ? other : most));

/**
 * The Workspace's row is held before the relation, by everybody who changes one: what waited for the relation itself would have the ends
 * of before it was turned, each with the Project of the other.
 */
export const relation = (): Access<RelationTarget> => ({
  reach: "membership",
  load: async (tx, params) => {
    const [, target] = await Promise.all([tx.rows(HOLD), tx.maybe<RelationTarget>(LOAD, [params.relation_id])]);
    return target;
  },
  permits: (context, target) => relationCapabilities(context, target).includes("work:write"),
});
