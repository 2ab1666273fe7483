// Tasks: list, create, read, change, resolve by code.
import * as contract from "@svc/contract/planning/tasks/tasks.ts";
import { settle } from "../../platform/kernel/context.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { requireLabels } from "../labels/change.ts";
import { insideProject, taskCapabilities, workplace } from "../projects/access.ts";
import { guardedTask, task, taskByCode } from "./access.ts";
import { changeTask, fieldsOf, requirePlace, requireReferences } from "./change.ts";
import { createIn } from "./creation.ts";
import { differs } from "./events.ts";
import { requireOrder } from "./lists/rules.ts";
import { listTasks } from "./lists/store.ts";
import { reparent } from "./relations/change.ts";

export const listProjectTasks = implementList(
  contract.listProjectTasks,
  insideProject("work:read"),
  async (tx, { params: { project_id }, query, page }) => {
    requireOrder({ ...query, project_id });
    return listTasks(tx, { ...query, project_id, sort: query.sort ?? (query.trashed ? undefined : "created") }, page);
  },
);

export const createTask = implement(contract.createTask, workplace("work:write"), async (context, { target, body }) =>
  render(await createIn(context, target, body), taskCapabilities(context, { ...target, trashed: false })),
);

export const getTask = implement(contract.getTask, task("work:read"), async (context, { target }) =>
  render(target, taskCapabilities(context, target)),
);

export const getTaskByCode = implement(contract.getTaskByCode, taskByCode("work:read"), async (context, { target }) =>
  render(target, taskCapabilities(context, target)),
);

/** Validates only references that change: the current value may have been archived, and is accepted unchanged. */
const entered = <T>(sent: T | undefined, before: T) => (sent === before ? undefined : sent);

export const updateTask = implement(
  contract.updateTask,
  guardedTask("work:write"),
  async (context, { target, body }) => {
    if (target.trashed) refuse("task_trashed");
    const { after_task_id, before_task_id, ...fields } = body;
    const before = fieldsOf(target);
    const named = {
      status_id: entered(body.status_id, before.status_id),
      assignee_actor_id: entered(body.assignee_actor_id, before.assignee_actor_id),
      milestone_id: entered(body.milestone_id, before.milestone_id),
    };
    // Removes duplicates: the same id may be given twice.
    const label_ids = body.label_ids && [...new Set(body.label_ids)];
    const [entering, , parents, place] = await settle([
      requireReferences(context, target.project_id, named, before.status_id),
      label_ids &&
        differs(label_ids, before.label_ids) &&
        requireLabels(context, { ...target, kind: "task" }, body.label_ids ?? []),
      body.parent_id !== undefined && differs(body.parent_id, before.parent_id)
        ? reparent(context, target, before.parent_id, body.parent_id)
        : [],
      requirePlace(context, { ...target, status_id: body.status_id ?? before.status_id }, body),
    ]);
    const wanted = { ...fields, ...place, ...(label_ids && { label_ids }) };
    const answer = changeTask(context, target, before, wanted, entering);
    for (const fact of parents) context.record(fact);
    return answer;
  },
);
