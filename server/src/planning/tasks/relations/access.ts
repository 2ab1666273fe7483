// Access rules of relations: visible to callers who can see both Tasks, changeable by those who may change one of them.

import { HOLD } from "../../../accounts/workspaces/access.ts";
import type { Access, Context, Permission } from "../../../platform/kernel/implement-operation.ts";
import { type InProject, inProject, permits, projectOfCaller, projectVisible } from "../../projects/access.ts";
import type { ProjectRole } from "../../projects/rules.ts";
import type { RelationKind } from "./rules.ts";

export interface RelationTarget {
  id: string;
  kind: RelationKind;
  revision: string;
  from_task_id: string;
  to_task_id: string;
  from_project_id: string;
  to_project_id: string;
  from_role: ProjectRole | null;
  to_role: ProjectRole | null;
  from_archived: boolean;
  to_archived: boolean;
  /** One of the two Tasks is in the trash. */
  trashed: boolean;
}

const end = (column: string) => `
cross join lateral (
  select t.project_id, t.trashed_at, ${inProject}
  from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
  where t.workspace_id = r.workspace_id and t.id = r.${column} and ${projectVisible} limit 1)`;
const LOAD = `
select r.id, r.kind, r.revision::text, r.from_task_id, r.to_task_id, f.project_id as from_project_id,
  o.project_id as to_project_id, f.project_role as from_role, o.project_role as to_role,
  f.project_archived as from_archived, o.project_archived as to_archived,
  num_nonnulls(f.trashed_at, o.trashed_at) > 0 as trashed
from task_relations r ${end("from_task_id")} f ${end("to_task_id")} o
where r.workspace_id = current_workspace() and r.id = $1`;
const CHANGE = `${LOAD} for no key update of r`;

const endsIn = ({ from_role, to_role, from_archived, to_archived }: RelationTarget): InProject[] => [
  { project_role: from_role, project_archived: from_archived },
  { project_role: to_role, project_archived: to_archived },
];
/** A caller who may change one of the two Tasks may change their relation. */
export function permitsRelation(context: Context, ends: readonly InProject[]): Permission {
  const found = ends.map((end) => permits("work:write")(context, end));
  return found.find((permission) => permission === true) ?? found.find((permission) => permission !== false) ?? false;
}

/**
 * Every change locks the Workspace row before the relation: a request that waited for the relation's own lock would see
 * its ends from before it was turned, each with the other's Project.
 */
export const relation = (): Access<RelationTarget> => ({
  reach: "membership",
  load: async (tx, params, change) => {
    if (!change) return tx.maybe<RelationTarget>(LOAD, [params.relation_id]);
    const [, target] = await Promise.all([tx.rows(HOLD), tx.maybe<RelationTarget>(CHANGE, [params.relation_id])]);
    return target;
  },
  permits: (context, target) => permitsRelation(context, endsIn(target)),
});
