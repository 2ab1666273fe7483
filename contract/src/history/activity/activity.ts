// Activity of a Workspace, projected from domain events at read time under the reader's current access.
import Type from "typebox";
import { list, S } from "../../kit.ts";
import { activityTypes, Day, Id, Line, nullable, object, Revision, Timestamp } from "../../types.ts";

/** Resources that a feed can include. Included people are the actors and the assignees of events. */
export const includeInFeed = ["people", "project", "task"] as const;

const ChangedReference = object(
  {
    id: nullable(Id),
    code: nullable(Type.String({ description: "Code of a Task, key of a Project, or code of a Milestone." })),
    name: nullable(Type.String({ description: "Current name." })),
  },
  { description: "A reference that you cannot see or that no longer exists has neither id nor name." },
);
const ChangedValue = Type.Union(
  [
    Type.Null(),
    Type.String(),
    Type.Number(),
    Type.Boolean(),
    ChangedReference,
    Type.Array(ChangedReference),
    object({ revision: Revision }, { description: "For a text: its revision." }),
  ],
  { description: "Null if there was no value. Absent if the value was not recorded.", examples: ["low"] },
);
export const ActivityChange = object({
  resource_id: { ...Id, description: "Affected resource that has changed." },
  field: Type.String({
    description:
      "Changed field, for example status, assignee, due_date or description; for relations their type, " +
      "such as blocks.",
  }),
  from: Type.Optional(ChangedValue),
  to: Type.Optional(ChangedValue),
});

/** Resource of an event, with its current names. */
export const ActivityResource = object({
  kind: Type.Enum(["project", "milestone", "task", "comment", "document"]),
  id: Id,
  code: nullable(Type.String({ description: "Code of the Task, or of the comment's Task; a Document has none." })),
  title: nullable(Type.String({ description: "Current title, or the title of the comment's Task." })),
  project_id: { ...nullable(Id), description: "Current Project of the resource; null: a Document without one." },
  task_id: { ...nullable(Id), description: "Id of the Task, or of the comment's Task." },
});

export const ActivityItem = object({
  id: Id,
  kind: Type.Enum([...activityTypes]),
  type: { ...Type.Enum([...activityTypes]), description: "Former name of kind." },
  action: Type.String({ description: "Localization key, for example activity.task.created." }),
  actions: Type.Array(Type.String(), {
    minItems: 1,
    description: "All actions, if one command did several things: action is the first of them.",
  }),
  count: Type.Integer({ minimum: 1, description: "Number of events in this item." }),
  occurred_at: Timestamp,
  affected: Type.Array(ActivityResource, {
    maxItems: 25,
    description: "Distinct affected resources, the newest first.",
  }),
  changes: Type.Array(ActivityChange, {
    description: "Net changes of the affected resources, each field once: from its first to its last value.",
  }),
  provenance: object({
    actor_id: Id,
    display_name: nullable(Type.String()),
    actor_name: { ...nullable(Type.String()), description: "Former name of display_name." },
    source: Type.Enum([
      "browser",
      "mobile",
      "script",
      "developer_client",
      "mcp_client",
      "service",
      "agent",
      "integration",
    ]),
    client: {
      ...nullable(Type.String({ examples: ["Planner"] })),
      description:
        "Name that the acting MCP client states, name of the service credential, or person for whom an " +
        "Agent acted.",
    },
    command_id: Id,
  }),
});

export const ActivityQuery = object({
  day: Type.Optional(Day),
  time_zone: Type.Optional({ ...Line(100), minLength: 1, description: "IANA name." }),
});

export const listWorkspaceActivity = list(
  "GET /workspaces/{workspace_id}/activity",
  "List recent activity, newest first",
  {
    description:
      "Groups events of one command, and of one Actor repeating one action on one resource within five " +
      "minutes, into one item. limit bounds the events examined, so a page may hold fewer items; only " +
      "has_more indicates whether history continues. day with time_zone selects one civil day. Activity " +
      "is retained for 90 days.",
    auth: [S],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityItem,
  },
);
