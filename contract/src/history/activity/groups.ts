// Activity of a Workspace in groups: the events of one command, of one editing session, or of one person on one
// resource within an hour.
import Type from "typebox";
import { C, list, S, T } from "../../kit.ts";
import { activityTypes, Id, nullable, object, Timestamp } from "../../types.ts";
import { ActivityItem, ActivityQuery, ActivityResource, includeInFeed } from "./activity.ts";

export const ActivityGroup = object({
  id: { ...Id, description: "It stays the same while the group grows." },
  kind: Type.Enum(["command", "session", "resource"], {
    description:
      "command: one command that did something to several resources, or that undid or redid another. session: " +
      "revisions of one text, by whoever wrote them. resource: what one Actor did to one resource, " +
      "a Task with its comments.",
  }),
  actor_ids: Type.Array(Id, { minItems: 1, description: "Who did it, the last one first." }),
  resource: {
    ...nullable(ActivityResource),
    description: "What it is about; null: a command that did something to several resources.",
  },
  project_id: { ...nullable(Id), description: "The one Project that all of it is in now." },
  task_id: { ...nullable(Id), description: "The one Task that all of it is about." },
  kinds: Type.Array(Type.Enum([...activityTypes]), { minItems: 1, description: "Of its items, the newest first." }),
  actions: Type.Array(Type.String(), { minItems: 1, description: "Localization keys, the newest first." }),
  count: Type.Integer({ minimum: 1, description: "Events that it stands for, as far as they were counted." }),
  capped: Type.Boolean({ description: "There are more, or may be: counting stopped at 100." }),
  first_occurred_at: { ...Timestamp, description: "When it began: groups are listed by this." },
  last_occurred_at: Timestamp,
  items: Type.Array(ActivityItem, { minItems: 1, maxItems: 3, description: "Its newest children." }),
});

export const listActivityGroups = list(
  "GET /workspaces/{workspace_id}/activity/groups",
  "List recent activity in groups, those that began last first",
  {
    description:
      "What listWorkspaceActivity shows you, each command in one group. A session, and what somebody does to a " +
      "resource, end with the hour of the clock (UTC). A group stays where it began: " +
      "one that grows while you page comes neither twice nor in the place of another. " +
      "Four times limit events are examined, so a page may hold fewer groups; " +
      "only has_more says whether history continues. With day and time_zone, what is outside of that day " +
      "is in no group.",
    stage: "upcoming",
    auth: [S, T, C],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityGroup,
  },
);

export const listActivityGroupChildren = list(
  "GET /workspaces/{workspace_id}/activity/groups/{group_id}/children",
  "List what is in a group of activity, newest first",
  {
    description:
      "The items of listWorkspaceActivity that the group stands for, one for each command. " +
      "limit bounds the events examined. day and time_zone narrow it as they narrow the groups.",
    stage: "upcoming",
    auth: [S, T, C],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityItem,
  },
);
