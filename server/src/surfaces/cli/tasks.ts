// Tasks and their comments for the command line.
import * as contract from "@svc/contract/surfaces/cli/tasks.ts";
import { commentOn } from "../../planning/comments/creation.ts";
import { taskCapabilities } from "../../planning/projects/access.ts";
import { insideTaskByCode } from "../../planning/tasks/access.ts";
import { createIn } from "../../planning/tasks/creation.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { cliTask, workplaceByCode } from "./access.ts";
import * as store from "./store.ts";

export const listCliProjectTasks = implementList(
  contract.listCliProjectTasks,
  workplaceByCode("work:read"),
  (tx, { params, page }) => store.listTasks(tx, params.project_code, page),
);

export const createCliTask = implement(
  contract.createCliTask,
  workplaceByCode("work:write"),
  async (context, { target, body }) => {
    const { id } = await createIn(context, target, body);
    return render(await store.readTask(context.tx, id), taskCapabilities(context, { ...target, trashed: false }));
  },
);

export const getCliTask = implement(contract.getCliTask, cliTask(), async (context, { target }) =>
  render(target, taskCapabilities(context, target)),
);

export const listCliTaskComments = implementList(
  contract.listCliTaskComments,
  insideTaskByCode("work:read"),
  (tx, { params, query, page }) => store.listComments(tx, params.task_code, query.order, page),
);

export const createCliTaskComment = implement(
  contract.createCliTaskComment,
  insideTaskByCode("work:write"),
  async (context, { target, body }) => {
    const { id } = commentOn(context, target, body.markdown);
    return store.readComment(context.tx, id);
  },
);
