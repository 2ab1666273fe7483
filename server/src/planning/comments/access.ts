// Access rules of comments: a comment is visible to everyone who can see the Project of its Task. rules.ts decides the
// actions.
import type { Access, Context } from "../../platform/kernel/implement-operation.ts";
import { type InProject, inProject, projectOfCaller, projectVisible, unlessArchived } from "../projects/access.ts";
import { workCapabilities } from "../projects/rules.ts";
import { available, type CommentAction, permitted } from "./rules.ts";
import { commentView } from "./view.ts";

export interface CommentTarget extends InProject {
  id: string;
  task_id: string;
  project_id: string;
  author_actor_id: string;
  revision: string;
  deleted: boolean;
  /** The Task is in the trash. */
  trashed: boolean;
  json: string;
}

const LOAD = `
select c.id, c.task_id, t.project_id, c.author_actor_id, c.revision::text, c.deleted_at is not null as deleted,
  t.trashed_at is not null as trashed, ${inProject}, ${commentView} as json
from comments c join tasks t on t.workspace_id = c.workspace_id and t.id = c.task_id
join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
where c.workspace_id = current_workspace() and c.id = $1 and ${projectVisible}`;
const CHANGE = `${LOAD} for no key update of c`;

const actions = ({ member }: Context, target: CommentTarget) =>
  permitted(workCapabilities(member.role, target.project_role), target.author_actor_id === member.actorId);

export const comment = (action: CommentAction | "read"): Access<CommentTarget> => ({
  reach: "membership",
  load: (tx, params, change) => tx.maybe<CommentTarget>(change ? CHANGE : LOAD, [params.comment_id]),
  permits: (context, target) => action === "read" || unlessArchived(actions(context, target).includes(action), target),
});

export const commentCapabilities = (context: Context, target: CommentTarget) =>
  available(actions(context, target), target);
