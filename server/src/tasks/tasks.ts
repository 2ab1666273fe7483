// Tasks: list, create, read, change, resolve by code.
import * as contract from "@svc/contract/tasks/tasks.ts";
import { implement, implementList } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import { capabilities, insideProject, workplace } from "../projects/access.ts";
import { task, taskByCode } from "./access.ts";
import { changeTask, fieldsOf, requireReferences } from "./change.ts";
import { createIn } from "./creation.ts";
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

export const createTask = implement(contract.createTask, workplace("work:write"), async (context, { target, body }) =>
  render(await createIn(context, target, body), capabilities(context, target)),
);

export const getTask = implement(contract.getTask, task("work:read"), async (context, { target }) =>
  render(target, capabilities(context, target)),
);

export const getTaskByCode = implement(contract.getTaskByCode, taskByCode("work:read"), async (context, { target }) =>
  render(target, capabilities(context, target)),
);

export const updateTask = implement(contract.updateTask, task("work:write"), async (context, { target, body }) => {
  if (target.trashed) refuse("task_trashed");
  const before = fieldsOf(target);
  // The Milestone that it is in already may have been closed since.
  const entered = body.milestone_id === before.milestone_id ? { ...body, milestone_id: null } : body;
  const category = await requireReferences(context, target.project_id, entered);
  return changeTask(context, target, before, body, category);
});
