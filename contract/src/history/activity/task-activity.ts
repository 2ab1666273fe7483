// Activity of one Task.
import { list, S } from "../../kit.ts";
import { ActivityItem, ActivityQuery, includeInFeed } from "./activity.ts";

export const listTaskActivity = list(
  "GET /tasks/{task_id}/activity",
  "List the recent activity of a Task, newest first",
  {
    description:
      "Lists the items of listWorkspaceActivity for this Task and its comments, whichever Project the " +
      "Task was in. limit bounds the events examined.",
    auth: [S],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityItem,
  },
);
