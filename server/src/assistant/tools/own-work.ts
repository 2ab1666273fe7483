// Tools for the caller's own work: their Tasks, their inbox, and their recorded time.
import Type from "typebox";
import { Cursor, closed, GO_ON, Id, Limit, Moment, OptionalDay, Page, reads, tasksRead } from "./arguments.ts";
import { unnamed } from "./names.ts";
import { taskPage } from "./task-list-tool.ts";
import { type Args, type Tool, type ToolContext, tool } from "./tool.ts";
import { compact, documentLinks, moreOf, taskLinks, UNTRUSTED, Untrusted } from "./tool-output.ts";

type Row = Record<string, unknown>;
type Named = { id?: string; code?: string; path?: string; title?: string; name?: string } | null;

const told = (context: ToolContext, item: Row) => {
  const { code, title } = (item.task ?? {}) as NonNullable<Named>;
  const document = item.document as Named;
  const links = code ? taskLinks(context, code) : document && documentLinks(context, document);
  return compact({
    id: item.id,
    category: item.category,
    action: item.action,
    code,
    path: document?.path,
    ...links,
    title: title ?? document?.title ?? (item.project as Named)?.name,
    by: (item.actor as Row | null)?.display_name,
    excerpt: item.excerpt,
    occurred_at: item.occurred_at,
    read_at: item.read_at,
  });
};
async function inbox(context: ToolContext, { all, limit = 20, cursor }: Args) {
  const { body } = await context.call("listInbox", { query: { state: all ? undefined : "unread", limit, cursor } });
  return {
    ...UNTRUSTED,
    items: body.items.map((item: Row) => told(context, item)),
    unread: body.unread_count,
    ...moreOf(body, GO_ON),
  };
}

const recorded = (entry: Row) =>
  compact({
    entry: entry.id,
    revision: entry.revision,
    date: entry.work_date,
    code: entry.task_code,
    title: entry.task_title,
    duration: entry.duration,
    note: entry.note,
  });
async function time({ call }: ToolContext, { from, to, limit = 20, cursor }: Args) {
  const missing = from === undefined ? "from" : to === undefined ? "to" : null;
  if (missing) unnamed(missing, "is needed for time");
  const { body } = await call("listTimesheet", { query: { from, to, limit, cursor } });
  return { ...UNTRUSTED, items: body.items.map(recorded), duration: body.duration, ...moreOf(body, GO_ON) };
}

const myWork = tool({
  name: "my_work",
  description: "List what is yours: Tasks (assigned unless you say), your unread inbox, or the time you recorded.",
  operations: ["listMyWork", "listInbox", "listTimesheet"],
  scopes: [...tasksRead, "svc:inbox:read", "svc:time:read"],
  scopesOf: ({ view }) =>
    view === "inbox" || view === "time" ? ["svc:read", `svc:${view as string}:read`] : tasksRead,
  annotations: reads,
  input: Type.Object(
    {
      view: Type.Optional(
        Type.Enum([
          ...["assigned", "created", "reviewing", "delegated", "due_soon", "completed"],
          ...["inbox", "time"],
        ]),
      ),
      all: Type.Optional(Type.Boolean({ description: "Of inbox: read ones too" })),
      from: Type.Optional(Type.String({ description: "Of time: YYYY-MM-DD" })),
      to: OptionalDay,
      limit: Limit,
      cursor: Cursor,
    },
    closed,
  ),
  output: Type.Object({ ...Untrusted, items: Type.Array(Type.Object({})), ...Page }),
  run(context, args) {
    const { view, limit = 20, cursor } = args;
    if (view === "inbox") return inbox(context, args);
    if (view === "time") return time(context, args);
    return taskPage(context, "listMyWork", { view, cursor }, limit);
  },
});

const markRead = tool({
  name: "mark_read",
  description: "Mark items of your inbox as read: these, or all up to a moment.",
  operations: ["updateInboxReadState"],
  scopes: ["svc:write"],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  ownResult: true,
  input: Type.Object(
    {
      ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100 })),
      all_before: Moment,
      read: Type.Optional(Type.Boolean({ description: "false: as unread" })),
    },
    closed,
  ),
  output: Type.Object({ changed: Type.Integer(), unread: Type.Integer() }),
  async run({ call }, { ids, all_before, read = true }) {
    const { body } = await call("updateInboxReadState", { body: { read, ids, all_before } });
    return { changed: body.changed, unread: body.unread_count };
  },
});

export const ownTools: readonly Tool[] = [myWork, markRead];
