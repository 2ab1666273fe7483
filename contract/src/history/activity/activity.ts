// Activity of a Workspace, projected from domain events at read time under the reader's current access.
import Type from "typebox";
import { list, S } from "../../kit.ts";
import { activityTypes, Day, Id, Line, nullable, object, Revision, Timestamp } from "../../types.ts";

/** Resources that a feed can include. Included people are the actors and the assignees of events. */
export const includeInFeed = ["people", "project", "task"] as const;

const ChangedReference = object(
  {
    id: nullable(Id),
    code: nullable(Type.String({ description: "Of a Task, a Project or a Milestone." })),
    name: nullable(Type.String({ description: "As it is now." })),
  },
  { description: "What you do not see now, or what is gone, has neither id nor name." },
);
const ChangedValue = Type.Union(
  [
    Type.Null(),
    Type.String(),
    Type.Number(),
    Type.Boolean(),
    ChangedReference,
    Type.Array(ChangedReference),
    object({ revision: Revision }, { description: "Of a text: the revision that had it." }),
  ],
  { description: "Null where there was none. Left out where it was not kept.", examples: ["low"] },
);
export const ActivityChange = object({
  resource_id: { ...Id, description: "Which of the affected resources has changed." },
  field: Type.String({
    description: "For example status, assignee, due_date or description; of relations their type, such as blocks.",
  }),
  from: Type.Optional(ChangedValue),
  to: Type.Optional(ChangedValue),
});

/** Resource of an event, with its current names. */
export const ActivityResource = object({
  kind: Type.Enum(["project", "milestone", "task", "comment", "document"]),
  id: Id,
  code: nullable(Type.String({ description: "Of a comment, that of its Task; a Document has none." })),
  title: nullable(Type.String({ description: "As it is now; of a comment, that of its Task." })),
  project_id: { ...nullable(Id), description: "The Project that it is in now; null: a Document in none." },
  task_id: { ...nullable(Id), description: "The Task itself, or that of a comment." },
});

export const ActivityItem = object({
  id: Id,
  kind: Type.Enum([...activityTypes]),
  type: { ...Type.Enum([...activityTypes]), description: "The same as kind, by its older name." },
  action: Type.String({ description: "Localization key, for example activity.task.created." }),
  actions: Type.Array(Type.String(), {
    minItems: 1,
    description: "All that was done, where one command did several things: action is the first of them.",
  }),
  count: Type.Integer({ minimum: 1, description: "Events that this item stands for." }),
  occurred_at: Timestamp,
  affected: Type.Array(ActivityResource, { maxItems: 25, description: "Distinct resources, the newest first." }),
  changes: Type.Array(ActivityChange, {
    description: "What has become of these, each field once: from what it was at first to what it was at last.",
  }),
  provenance: object({
    actor_id: Id,
    display_name: nullable(Type.String()),
    actor_name: { ...nullable(Type.String()), description: "The same as display_name, by its older name." },
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
        "The MCP client that acted for them, as it calls itself, the name of the service credential, " +
        "or the person for whom an Agent acted.",
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
      "Events of one command, and of one Actor repeating one action on one resource within five minutes, " +
      "are one item. limit bounds the events examined, so a page may hold fewer items; " +
      "only has_more says whether history continues. day with time_zone selects one civil day. 90 days are kept.",
    auth: [S],
    include: includeInFeed,
    query: ActivityQuery,
    items: ActivityItem,
  },
);
