// Lists the activity of a Workspace. Each read projects it from domain events under the reader's current access.
// Nothing is stored, so events that a reader may no longer see disappear from their feed at once.
import * as contract from "@svc/contract/history/activity/activity.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implementList } from "../../platform/kernel/implement-operation.ts";
import { feed } from "./feed.ts";

export const listWorkspaceActivity = implementList(
  contract.listWorkspaceActivity,
  workspace("work:read"),
  (tx, input) => feed(tx, input),
);
