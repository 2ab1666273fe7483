// My Work: Tasks that concern the caller, over all visible Projects.
import * as contract from "@svc/contract/planning/tasks/own-work/work.ts";
import { workspace } from "../../../accounts/workspaces/access.ts";
import { implementList } from "../../../platform/kernel/implement-operation.ts";
import { listWork } from "./work-store.ts";

export const listMyWork = implementList(contract.listMyWork, workspace("work:read"), (tx, { query, page }) =>
  listWork(tx, { view: query.view ?? "assigned" }, page),
);
