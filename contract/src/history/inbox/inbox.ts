// The inbox of a member: notifications for that member alone, shown under their current access, and sent by mail and
// push according to their preferences.
import Type from "typebox";
import { list, M, op, S } from "../../kit.ts";
import {
  Id,
  Moment,
  notificationCategories,
  nullable,
  object,
  patch,
  resource,
  single,
  Timestamp,
} from "../../types.ts";

const Category = Type.Enum([...notificationCategories]);

export const InboxItem = object({
  ...resource,
  category: Category,
  action: Type.String({ description: "The newest of the events, for example task.status_changed." }),
  event: Type.String({ description: "The same as action, by its older name." }),
  count: Type.Integer({ minimum: 1, description: "Events that this item stands for." }),
  occurred_at: { ...Timestamp, description: "Of the newest of them." },
  actor: {
    ...nullable(object({ id: Id, display_name: nullable(Type.String()) })),
    description: "Who did the newest; null where nobody did, as when a date comes near.",
  },
  task: nullable(object({ id: Id, code: Type.String(), title: Type.String() })),
  document: nullable(object({ id: Id, path: Type.String(), title: Type.String() })),
  project: {
    ...nullable(object({ id: Id, key: Type.String(), name: Type.String() })),
    description: "That of the Task or Document, or what it is about itself; null for a Document without a Project.",
  },
  reminder: {
    ...nullable(object({ id: Id, text: Type.String() })),
    description:
      "The reminder that is due; what it is about stands beside it as far as you see that. Null of everything else.",
  },
  about: {
    ...nullable(
      object({
        kind: Type.Enum(["integration_request", "agent_request", "webhook_endpoint"]),
        id: Id,
        name: Type.String({ description: "Of the provider, the Agent definition or the endpoint, when it was told." }),
        note: {
          ...nullable(Type.String({ maxLength: 200 })),
          description: "The beginning of what was written with it.",
        },
      }),
    ),
    description:
      "What was asked for or decided, or the endpoint that was disabled; action says what became of it. " +
      "Null of everything else.",
  },
  comment_id: nullable(Id),
  excerpt: {
    ...nullable(Type.String({ maxLength: 200 })),
    description: "The beginning of the comment that it is about, as it is now: plain text, without its Markdown.",
  },
  read_at: nullable(Timestamp),
  archived_at: nullable(Timestamp),
});

const unread = {
  unread_count: Type.Integer({ minimum: 0, maximum: 100, description: "Of what you can see, up to 100." }),
  unread_count_capped: { ...Type.Boolean(), description: "There are more, or may be." },
};

export const listInbox = list("GET /workspaces/{workspace_id}/inbox", "List what you were told, newest first", {
  description:
    "What happens to one Task or Document in one category is one item until you read or archive it. " +
    "Without a state, what is not archived. What you do not see any more is left out and not counted: " +
    "a page may hold fewer than its limit, also none, while has_more is true.",
  auth: [S, M],
  baseline: true,
  private: true,
  query: object({
    state: Type.Optional(Type.Enum(["unread", "read", "archived", "all"])),
    category: Type.Optional(Category),
  }),
  include: ["people", "project", "task"],
  items: InboxItem,
  beside: unread,
});

export const updateInboxReadState = op(
  "POST /workspaces/{workspace_id}/inbox/read-state",
  "Mark items of your inbox as read or unread",
  {
    description:
      "Either those with these `ids`, or all that are not archived and not newer than `all_before`, " +
      "of one category or of all; of those the newest 5,000 at once. What is not yours, or is so already, " +
      "is passed over and not counted.",
    auth: [S, M],
    private: true,
    body: object({
      read: Type.Boolean(),
      ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100 })),
      all_before: Type.Optional(Moment),
      category: Type.Optional(Category),
    }),
    example: { read: true, all_before: "2026-11-15T12:00:00.000Z" },
    returns: object({ changed: Type.Integer({ minimum: 0, maximum: 5_000 }), ...unread }),
  },
);

export const updateInboxItem = op("PATCH /inbox-items/{inbox_item_id}", "Read or archive an item of your inbox", {
  description: "An item that was read or archived gathers nothing more: what happens next is a new one.",
  auth: [S, M],
  private: true,
  ifMatch: "required",
  body: patch({ read: Type.Boolean(), archived: Type.Boolean() }),
  example: { read: true },
  returns: single(InboxItem),
});
