// The activity of a Workspace: projected from domain events when it is read, under the reader's access at that moment. Nothing is
// stored for it, so what somebody may no longer see is gone from their feed at once.
import * as contract from "@svc/contract/activity/activity.ts";
import { implementList } from "../kernel/implement.ts";
import { workspace } from "../workspaces/access.ts";
import { feed } from "./feed.ts";

export const listWorkspaceActivity = implementList(
  contract.listWorkspaceActivity,
  workspace("work:read"),
  (tx, input) => feed(tx, input),
);
