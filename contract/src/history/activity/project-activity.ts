// Activity of one Project.
import { list, M, S } from "../../kit.ts";
import { ActivityItem, ActivityQuery, includeInFeed } from "./activity.ts";

export const listProjectActivity = list(
  "GET /projects/{project_id}/activity",
  "List the recent activity in a Project, newest first",
  {
    description:
      "What listWorkspaceActivity shows of this Project: the same items, and only what you may see now. " +
      "What happened to a Task that is in another Project now is not shown here. limit bounds the events examined.",
    auth: [S, M],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityItem,
  },
);
