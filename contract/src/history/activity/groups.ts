// Activity of a Workspace in groups: the events of one command, of one editing session, or of one person on one
// resource within an hour.
import Type from "typebox";
import { C, list, S, T } from "../../kit.ts";
import { activityTypes, Id, nullable, object, Timestamp } from "../../types.ts";
import { ActivityItem, ActivityQuery, ActivityResource, includeInFeed } from "./activity.ts";

export const ActivityGroup = object({
  id: { ...Id, description: "Id of the group, which does not change while the group grows." },
  kind: Type.Enum(["command", "session", "resource"], {
    description:
      "command: one command that changed several resources, or that undid or redid another. session: " +
      "revisions of one text, by all its authors. resource: changes of one Actor to one resource, a Task " +
      "with its comments.",
  }),
  actor_ids: Type.Array(Id, { minItems: 1, description: "Actors of the group, the last one first." }),
  resource: {
    ...nullable(ActivityResource),
    description: "Resource of the group; null: a command that changed several resources.",
  },
  project_id: { ...nullable(Id), description: "The one Project that everything in the group is in now." },
  task_id: { ...nullable(Id), description: "The one Task that everything in the group is about." },
  kinds: Type.Array(Type.Enum([...activityTypes]), {
    minItems: 1,
    description: "Kinds of the items, the newest first.",
  }),
  actions: Type.Array(Type.String(), { minItems: 1, description: "Localization keys, the newest first." }),
  count: Type.Integer({ minimum: 1, description: "Number of events, as far as they were counted." }),
  capped: Type.Boolean({ description: "Whether there may be more: counting stopped at 100." }),
  first_occurred_at: { ...Timestamp, description: "Start of the group, by which groups are listed." },
  last_occurred_at: Timestamp,
  items: Type.Array(ActivityItem, { minItems: 1, maxItems: 3, description: "Newest children of the group." }),
});

export const listActivityGroups = list(
  "GET /workspaces/{workspace_id}/activity/groups",
  "List recent activity in groups, newest start first",
  {
    description:
      "Groups the items of listWorkspaceActivity, each command in one group. Sessions, and changes of " +
      "one Actor to one resource, end with the hour of the clock (UTC). A group keeps its position: one " +
      "that grows while you page neither appears twice nor displaces another. Four times limit events " +
      "are examined, so a page may hold fewer groups; only has_more indicates whether history continues. " +
      "With day and time_zone, only activity of that day is in a group.",
    stage: "upcoming",
    auth: [S, T, C],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityGroup,
  },
);

export const listActivityGroupChildren = list(
  "GET /workspaces/{workspace_id}/activity/groups/{group_id}/children",
  "List the items of an activity group, newest first",
  {
    description:
      "Lists the items of listWorkspaceActivity in the group, one for each command. limit bounds the " +
      "events examined. day and time_zone narrow it as they narrow the groups.",
    stage: "upcoming",
    auth: [S, T, C],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityItem,
  },
);
