// Lists the activity in one Project: the Workspace's feed, narrowed to it.
import * as contract from "@svc/contract/history/activity/project-activity.ts";
import { insideProject } from "../../planning/projects/access.ts";
import { implementList } from "../../platform/kernel/implement-operation.ts";
import { feed } from "./feed.ts";

export const listProjectActivity = implementList(
  contract.listProjectActivity,
  insideProject("work:read"),
  (tx, input) => feed(tx, input, { projectId: input.params.project_id }),
);
