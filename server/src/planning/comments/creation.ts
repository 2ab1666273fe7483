// Creates comments, for every operation that does so. A Task in the trash accepts none.

import type { Context } from "../../platform/kernel/implement-operation.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import type { TaskTarget } from "../tasks/access.ts";
import type { CommentTarget } from "./access.ts";
import { commentCreated } from "./events.ts";
import * as store from "./store.ts";

export const subjectOf = ({ id, task_id, project_id }: Pick<CommentTarget, "id" | "task_id" | "project_id">) => ({
  kind: "comment",
  id,
  projectId: project_id,
  taskId: task_id,
});

/** Awaits nothing: the result is computed, and the INSERT is sent with the commit. */
export function commentOn(
  { tx, member, principal, record, defer }: Context,
  task: TaskTarget,
  markdown: string,
): CommentTarget {
  if (task.trashed) refuse("task_trashed");
  const { project_id, project_role, project_archived } = task;
  const created = { id: newId(), task_id: task.id, author_actor_id: member.actorId };
  defer(store.createComment(tx, member.workspaceId, member.actorId, created.id, task.id, markdown));
  record(commentCreated(subjectOf({ ...created, project_id })));
  const [revision, times] = ["1", { created_at: principal.now, updated_at: principal.now }];
  const json = JSON.stringify({ ...created, revision, ...times, markdown, deleted_at: null, reactions: [] });
  return { ...created, project_id, project_role, project_archived, revision, json, deleted: false, trashed: false };
}
