// My Work: what concerns the caller, over all Projects that it sees.
import * as contract from "@svc/contract/planning/tasks/own-work/work.ts";
import { workspace } from "../../../accounts/workspaces/access.ts";
import { implementList } from "../../../platform/kernel/implement.ts";
import { listWork } from "./work-store.ts";

export const listMyWork = implementList(contract.listMyWork, workspace("work:read"), (tx, { query, page }) =>
  listWork(tx, { view: query.view ?? "assigned" }, page),
);
