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
  action: Type.String({ description: "Newest event of the item, for example task.status_changed." }),
  event: Type.String({ description: "Former name of action." }),
  count: Type.Integer({ minimum: 1, description: "Number of events in this item." }),
  occurred_at: { ...Timestamp, description: "Time of the newest event." },
  actor: {
    ...nullable(object({ id: Id, display_name: nullable(Type.String()) })),
    description: "Actor of the newest event; null if there was none, as for an approaching date.",
  },
  task: nullable(object({ id: Id, code: Type.String(), title: Type.String() })),
  document: nullable(object({ id: Id, path: Type.String(), title: Type.String() })),
  project: {
    ...nullable(object({ id: Id, key: Type.String(), name: Type.String() })),
    description:
      "Project of the Task or Document, or the Project that the item is about; null for a Document " +
      "without a Project.",
  },
  reminder: {
    ...nullable(object({ id: Id, text: Type.String() })),
    description: "The reminder that is due, with its target as far as you may see it; null for other items.",
  },
  about: {
    ...nullable(
      object({
        kind: Type.Enum(["integration_request", "agent_request", "webhook_endpoint"]),
        id: Id,
        name: Type.String({
          description: "Name of the provider, the Agent definition or the endpoint at the time of the notification.",
        }),
        note: {
          ...nullable(Type.String({ maxLength: 200 })),
          description: "Beginning of the note.",
        },
      }),
    ),
    description:
      "Subject of a request or decision, or the endpoint that was disabled; action gives the outcome. " +
      "Null for other items.",
  },
  comment_id: nullable(Id),
  excerpt: {
    ...nullable(Type.String({ maxLength: 200 })),
    description: "Current beginning of the comment, as plain text without its Markdown.",
  },
  read_at: nullable(Timestamp),
  archived_at: nullable(Timestamp),
});

const unread = {
  unread_count: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: "Number of unread items that you can see, up to 100.",
  }),
  unread_count_capped: { ...Type.Boolean(), description: "Whether there may be more." },
};

export const listInbox = list("GET /workspaces/{workspace_id}/inbox", "List your inbox, newest first", {
  description:
    "Groups the notifications of one category about one Task or Document into one item until you read " +
    "or archive it. Without a state it lists the items that are not archived. Items that you can no " +
    "longer see are left out and not counted: a page may hold fewer items than its limit, even none, " +
    "while has_more is true.",
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
      "Takes `ids`, or `all_before` for all items of one or all categories that are not archived and not " +
      "newer; of those, the newest 5,000 at once. Items that are not yours, or already in this state, " +
      "are skipped and not counted.",
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
  description: "An item that was read or archived takes no further notifications: the next one creates a new item.",
  auth: [S, M],
  private: true,
  ifMatch: "required",
  body: patch({ read: Type.Boolean(), archived: Type.Boolean() }),
  example: { read: true },
  returns: single(InboxItem),
});
