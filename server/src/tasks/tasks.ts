// Tasks: list, create, read, change, resolve by code.
import * as contract from "@svc/contract/tasks/tasks.ts";
import { newId } from "../kernel/ids.ts";
import { type Context, implement, implementList } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import { capabilities, insideProject, workplace } from "../projects/access.ts";
import { task, taskByCode } from "./access.ts";
import { changesOf, differs, taskCreated } from "./events.ts";
import { changed, statusTimes, type TaskFields } from "./rules.ts";
import * as store from "./store.ts";

export const listProjectTasks = implementList(
  contract.listProjectTasks,
  insideProject("work:read"),
  (tx, { params, query, page }) => {
    const { status_id, assignee_actor_id, milestone_id } = query;
    const filters = [status_id, assignee_actor_id, milestone_id].filter((value) => value !== undefined);
    const sql = store.listTasks(status_id !== undefined, assignee_actor_id !== undefined, milestone_id !== undefined);
    return tx.rows(sql, [params.project_id, page.after?.[0] ?? "9223372036854775807", page.limit + 1, ...filters]);
  },
);

export const createTask = implement(contract.createTask, workplace("work:write"), async (context, { target, body }) => {
  const { tx, member, record } = context;
  if (target.closed) refuse("project_closed");
  const id = newId();
  const row = await store.createTask(tx, {
    workspaceId: member.workspaceId,
    id,
    projectId: target.id,
    projectKey: target.key,
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
  if (!row) return refuseReferences(context, target.id, body);
  record(taskCreated({ kind: "task", id, projectId: target.id, taskId: id }, { title: body.title }));
  return render(row, capabilities(context, target));
});

type References = { status_id?: string; assignee_actor_id?: string | null; milestone_id?: string | null };

/** The category of the Status that a change names, once every reference in it has been found usable in the Project. */
async function requireReferences({ tx, member }: Context, projectId: string, body: References) {
  const [statusId, assignee] = [body.status_id ?? null, body.assignee_actor_id ?? null];
  const milestoneId = body.milestone_id ?? null;
  if (statusId === null && assignee === null && milestoneId === null) return null;
  const [found, accepted] = await Promise.all([
    store.references(tx, member.workspaceId, projectId, statusId, assignee),
    milestoneId === null || store.acceptsTasks(tx, member.workspaceId, projectId, milestoneId),
  ]);
  const unusable = [
    statusId !== null && !found.category && "status_id",
    assignee !== null && !found.assignee && "assignee_actor_id",
    !accepted && "milestone_id",
  ].filter((field) => field !== false);
  if (unusable.length > 0) refuseFields(unusable);
  return found.category;
}

/** Which reference kept a Task from being created; when none did, no Status is left to start in. */
async function refuseReferences(context: Context, projectId: string, body: References): Promise<never> {
  await requireReferences(context, projectId, body);
  return refuseFields(["status_id"]);
}

const refuseFields = (fields: string[]): never =>
  refuse("invalid_reference", {
    errors: fields.map((field) => ({
      pointer: `/body/${field}`,
      code: "invalid_reference",
      detail: "must exist, be active and be usable in this Project",
    })),
  });

export const getTask = implement(contract.getTask, task("work:read"), async (context, { target }) =>
  render(target, capabilities(context, target)),
);

export const getTaskByCode = implement(contract.getTaskByCode, taskByCode("work:read"), async (context, { target }) =>
  render(target, capabilities(context, target)),
);

export const updateTask = implement(contract.updateTask, task("work:write"), async (context, { target, body }) => {
  const { tx, member, principal, record, defer } = context;
  const { id, revision } = target;
  if (target.trashed) refuse("task_trashed");
  const before = JSON.parse(target.json) as TaskFields;
  // The Milestone that it is in already may have been closed since.
  const entered = body.milestone_id === before.milestone_id ? { ...body, milestone_id: null } : body;
  const category = await requireReferences(context, target.project_id, entered);
  const changes = { ...body, ...(category === null ? {} : statusTimes(category, before, principal.now)) };
  defer(store.updateTask(tx, member.workspaceId, id, changes));
  if (differs(body.assignee_actor_id, before.assignee_actor_id))
    defer(store.reassign(tx, member.workspaceId, id, newId(), body.assignee_actor_id ?? null, member.actorId));
  if (differs(body.description_markdown, before.description_markdown))
    defer(store.keepDescription(tx, member.workspaceId, id, revision, before.description_markdown, member.actorId));
  for (const fact of changesOf(before, body)) record(fact);
  const after = changed(before, changes, principal.now);
  return render({ json: JSON.stringify(after), revision: after.revision }, capabilities(context, target));
});
