// Task list of a Workspace. The order and the most selective filter pick the index; the other filters apply to its
// rows, within the bound of a page (examined-page.ts).
import * as contract from "@svc/contract/planning/tasks/lists/workspace-tasks.ts";
import { workspace } from "../../../accounts/workspaces/access.ts";
import { implementList } from "../../../platform/kernel/implement-operation.ts";
import { requireOrder } from "./rules.ts";
import { listTasks } from "./store.ts";

export const listWorkspaceTasks = implementList(
  contract.listWorkspaceTasks,
  workspace("work:read"),
  async (tx, { query, page }) => {
    requireOrder(query);
    return listTasks(tx, query, page);
  },
);
