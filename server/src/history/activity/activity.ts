// The activity of a Workspace: projected from domain events when it is read, under the reader's access at that moment. Nothing is
// stored for it, so what somebody may no longer see is gone from their feed at once.
import * as contract from "@svc/contract/history/activity/activity.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implementList } from "../../platform/kernel/implement.ts";
import { feed } from "./feed.ts";

export const listWorkspaceActivity = implementList(
  contract.listWorkspaceActivity,
  workspace("work:read"),
  (tx, input) => feed(tx, input),
);
