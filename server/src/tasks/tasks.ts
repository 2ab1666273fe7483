// Tasks: list, create, read, change, resolve by code.
import * as contract from "@svc/contract/tasks/tasks.ts";
import { newId } from "../kernel/ids.ts";
import { implement, implementList } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import { capabilities, project } from "../projects/access.ts";
import { type TaskTarget, task, taskByCode } from "./access.ts";
import {
  taskAssigned,
  taskCreated,
  taskDatesChanged,
  taskDescriptionChanged,
  taskPriorityChanged,
  taskStatusChanged,
  taskUpdated,
} from "./events.ts";
import * as store from "./store.ts";

export const listProjectTasks = implementList(
  contract.listProjectTasks,
  project("work:read"),
  ({ tx, member }, { params, query, page }) => {
    const filters = [query.status_id, query.assignee_actor_id].filter((value) => value !== undefined);
    const sql = store.listTasks(query.status_id !== undefined, query.assignee_actor_id !== undefined);
    return tx.rows(sql, [
      member.workspaceId,
      params.project_id,
      page.after?.[0] ?? "9223372036854775807",
      page.limit + 1,
      ...filters,
    ]);
  },
);

export const createTask = implement(
  contract.createTask,
  project("work:write", { lock: false }),
  async (context, { target, body }) => {
    const { tx, member, record } = context;
    const id = newId();
    const row = await store.createTask(tx, {
      workspaceId: member.workspaceId,
      id,
      projectId: target.id,
      title: body.title,
      description: body.description_markdown ?? "",
      priority: body.priority ?? "none",
      statusId: body.status_id ?? null,
      assigneeActorId: body.assignee_actor_id ?? null,
      startDate: body.start_date ?? null,
      dueDate: body.due_date ?? null,
      actorId: member.actorId,
      assignmentId: newId(),
    });
    if (!row) return refuseReferences(body);
    record(taskCreated({ kind: "task", id, projectId: target.id, taskId: id }, { title: body.title }));
    return render(row, capabilities(context, target));
  },
);

function refuseReferences(body: { status_id?: string; assignee_actor_id?: string | null }): never {
  const named = (["status_id", "assignee_actor_id"] as const).filter(
    (field) => body[field] !== undefined && body[field] !== null,
  );
  const detail = "must exist, be active and be usable in this Project";
  return refuse("invalid_reference", {
    errors: named.map((field) => ({ pointer: `/body/${field}`, code: "invalid_reference", detail })),
  });
}

export const getTask = implement(contract.getTask, task("work:read"), async (context, { target }) =>
  render(target, capabilities(context, target)),
);

export const getTaskByCode = implement(contract.getTaskByCode, taskByCode("work:read"), async (context, { target }) =>
  render(target, capabilities(context, target)),
);

type Changes = Parameters<typeof updateTask.run>[1]["body"];

export const updateTask = implement(contract.updateTask, task("work:write"), async (context, { target, body }) => {
  const { tx, member, record } = context;
  const statusId = body.status_id ?? null;
  const assignee = body.assignee_actor_id ?? null;
  const checked = statusId !== null || assignee !== null;
  const found = checked ? await store.references(tx, member.workspaceId, target.project_id, statusId, assignee) : null;
  if (statusId !== null && !found?.category) refuseReferences({ status_id: statusId });
  if (assignee !== null && !found?.assignee) refuseReferences({ assignee_actor_id: assignee });
  const started: Promise<unknown>[] = [];
  const updated = store.updateTask(tx, member.workspaceId, target.id, body, found?.category ?? null);
  if (body.assignee_actor_id !== undefined && assignee !== target.assignee_actor_id)
    started.push(store.reassign(tx, member.workspaceId, target.id, newId(), assignee, member.actorId));
  if (body.description_markdown !== undefined && body.description_markdown !== target.description_markdown)
    started.push(
      store.keepDescription(
        tx,
        member.workspaceId,
        target.id,
        target.revision,
        target.description_markdown,
        member.actorId,
      ),
    );
  const [row] = await Promise.all([updated, ...started]);
  for (const fact of facts(target, body)) record(fact);
  return render(row, capabilities(context, target));
});

function facts(target: TaskTarget, body: Changes) {
  const subject = { kind: "task", id: target.id, projectId: target.project_id, taskId: target.id };
  const all = [
    body.status_id !== undefined &&
      body.status_id !== target.status_id &&
      taskStatusChanged(subject, { from: target.status_id, to: body.status_id }),
    body.assignee_actor_id !== undefined &&
      body.assignee_actor_id !== target.assignee_actor_id &&
      taskAssigned(subject, { from: target.assignee_actor_id, to: body.assignee_actor_id }),
    (body.start_date !== undefined || body.due_date !== undefined) &&
      taskDatesChanged(subject, { start_date: body.start_date, due_date: body.due_date }),
    body.priority !== undefined && taskPriorityChanged(subject, { to: body.priority }),
    body.description_markdown !== undefined &&
      body.description_markdown !== target.description_markdown &&
      taskDescriptionChanged(subject),
    (body.title !== undefined || body.position !== undefined) &&
      taskUpdated(subject, { title: body.title, position: body.position }),
  ].filter((fact) => fact !== false);
  return all.length > 0 ? all : [taskUpdated(subject)];
}
