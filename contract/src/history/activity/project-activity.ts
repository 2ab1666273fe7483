// Activity of one Project.
import { list, M, S } from "../../kit.ts";
import { ActivityItem, ActivityQuery, includeInFeed } from "./activity.ts";

export const listProjectActivity = list(
  "GET /projects/{project_id}/activity",
  "List the recent activity in a Project, newest first",
  {
    description:
      "Lists the items of listWorkspaceActivity for this Project: the same items, and only what you may " +
      "see now. Activity of a Task that is in another Project now is left out. limit bounds the events " +
      "examined.",
    auth: [S, M],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityItem,
  },
);
