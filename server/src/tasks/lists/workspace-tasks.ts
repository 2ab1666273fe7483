// The Tasks of a Workspace. Which index leads follows from the order and from the filter that narrows most; the other filters are held
// against what it gives, within the bound of a page (examined.ts).
import * as contract from "@svc/contract/tasks/lists/workspace-tasks.ts";
import { implementList } from "../../kernel/implement.ts";
import { workspace } from "../../workspaces/access.ts";
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
