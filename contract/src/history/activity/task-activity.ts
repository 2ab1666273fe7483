// Activity of one Task.
import { list, S } from "../../kit.ts";
import { ActivityItem, ActivityQuery, includeInFeed } from "./activity.ts";

export const listTaskActivity = list(
  "GET /tasks/{task_id}/activity",
  "List the recent activity of a Task, newest first",
  {
    description:
      "What listWorkspaceActivity shows of this Task and its comments, wherever the Task was at the time. " +
      "limit bounds the events examined.",
    auth: [S],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityItem,
  },
);
