// The Tasks of a Workspace. Which index leads follows from the order and from the filter that narrows most; the other filters are held
// against what it gives, within the bound of a page (examined.ts).
import * as contract from "@svc/contract/tasks/lists/workspace-tasks.ts";
import { implementList } from "../../kernel/implement.ts";
import { refuseAt } from "../../wire/problem.ts";
import { workspace } from "../../workspaces/access.ts";
import { listWorkspaceTasks as listTasks } from "./store.ts";

export const listWorkspaceTasks = implementList(
  contract.listWorkspaceTasks,
  workspace("work:read"),
  async (tx, { query, page }) => {
    if (query.trashed && query.sort !== undefined)
      return refuseAt("/query/sort", "invalid_request", "the trash has one order: latest first", "not_allowed");
    if (query.sort === "position" && (query.project_id === undefined || query.status_id === undefined))
      return refuseAt(
        "/query/sort",
        "invalid_request",
        "position orders one Status: add project_id and status_id",
        "required",
      );
    return listTasks(tx, query, page);
  },
);
