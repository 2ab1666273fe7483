// Activity of one person in a Workspace.
import { list, S } from "../../kit.ts";
import { ActivityItem, ActivityQuery, includeInFeed } from "./activity.ts";

export const listPersonActivity = list(
  "GET /workspaces/{workspace_id}/people/{username}/activity",
  "List the recent activity of a person, newest first",
  {
    description:
      "Lists the items of listWorkspaceActivity for this person: the same items, and only what you may " +
      "see now. limit bounds the events examined.",
    auth: [S],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityItem,
  },
);
