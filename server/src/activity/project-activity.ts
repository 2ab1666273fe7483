// The activity in one Project: the Workspace's feed, narrowed to it.
import * as contract from "@svc/contract/activity/project-activity.ts";
import { implementList } from "../kernel/implement.ts";
import { insideProject } from "../projects/access.ts";
import { feed } from "./feed.ts";

export const listProjectActivity = implementList(
  contract.listProjectActivity,
  insideProject("work:read"),
  (tx, input) => feed(tx, input, { projectId: input.params.project_id }),
);
