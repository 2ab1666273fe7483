// How a Task comes into being in a Project, for every operation that makes one. The Project takes new work, or refuses.

import type { Context } from "../kernel/implement.ts";
import type { InProject } from "../projects/access.ts";
import { newId } from "../wire/ids.ts";
import { refuse } from "../wire/problem.ts";
import { type References, refuseFields, requireReferences, requireReviewed } from "./change.ts";
import { subjectOf, taskCreated } from "./events.ts";
import type { TaskFields } from "./rules.ts";
import * as store from "./store.ts";

export interface Workplace extends InProject {
  id: string;
  key: string;
  closed: boolean;
}
type Given = Partial<
  Pick<
    TaskFields,
    "description_markdown" | "priority" | "status_id" | "assignee_actor_id" | "milestone_id" | "start_date" | "due_date"
  >
> & { title: string };

/** The Task on the wire. */
export async function createIn(context: Context, project: Workplace, body: Given) {
  const { tx, member, record } = context;
  if (project.closed) refuse("project_closed");
  const id = newId();
  const row = await store.createTask(tx, {
    workspaceId: member.workspaceId,
    id,
    projectId: project.id,
    projectKey: project.key,
    number: await context.numberIn(project.id),
    title: body.title,
    description: body.description_markdown ?? "",
    priority: body.priority ?? "none",
    statusId: body.status_id ?? null,
    assigneeActorId: body.assignee_actor_id ?? null,
    milestoneId: body.milestone_id ?? null,
    startDate: body.start_date ?? null,
    dueDate: body.due_date ?? null,
    actorId: member.actorId,
    assignmentId: newId(),
  });
  if (!row) return refuseReferences(context, project, body);
  record(taskCreated(subjectOf({ id, project_id: project.id }), { title: body.title, status_id: body.status_id }));
  return { id, ...row };
}

/** Which reference kept a Task from being created, or the review that it would go past; when neither did, no Status is left to start in. */
async function refuseReferences(context: Context, project: Workplace, body: References): Promise<never> {
  const entering = await requireReferences(context, project.id, body, null);
  if (entering) requireReviewed(context, project, entering);
  return refuseFields(["status_id"]);
}
