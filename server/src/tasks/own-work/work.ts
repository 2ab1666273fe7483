// My Work: what concerns the caller, over all Projects that it sees.
import * as contract from "@svc/contract/tasks/own-work/work.ts";
import { implementList } from "../../kernel/implement.ts";
import { workspace } from "../../workspaces/access.ts";
import { listWork } from "./work-store.ts";

export const listMyWork = implementList(contract.listMyWork, workspace("work:read"), (tx, { query, page }) =>
  listWork(tx, { view: query.view ?? "assigned" }, page),
);
