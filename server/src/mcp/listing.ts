// Tools that list Tasks. A page that looked at much and found little looks on, and says so to clients that want to know how far it is.
import Type from "typebox";
import { Cursor, closed, GO_ON, Key, Limit, Page, reads, tasksRead, text, words } from "./arguments.ts";
import { actorId, labelIds, looksUp, milestoneId, projectId, statusId, unnamed } from "./names.ts";
import { LIST_INCLUDE, moreOf, TaskShown, taskRow, UNTRUSTED, Untrusted } from "./shown.ts";
import { type Tool, type ToolContext, tool } from "./tool.ts";

const TaskPage = Type.Object({ ...Untrusted, items: Type.Array(TaskShown), ...Page });
type Query = Record<string, unknown>;
/** Goes on while a page looked at much and found little. */
async function taskPage({ call, step }: ToolContext, operation: string, query: Query, limit: number) {
  const items: object[] = [];
  let page = { next_cursor: query.cursor as string | null, has_more: true, complete: false };
  for (let at = 0; at < 5 && items.length < limit && page.has_more && !page.complete; at++) {
    if (at > 0) await step(`Looked through ${at} stretches, found ${items.length}`);
    const { body } = await call(operation, {
      query: { ...query, limit: limit - items.length, cursor: page.next_cursor ?? undefined, include: LIST_INCLUDE },
    });
    items.push(...body.items.map((row: Query) => taskRow(row, body.included)));
    page = body;
  }
  return { ...UNTRUSTED, items, ...moreOf(page, GO_ON) };
}

const myWork = tool({
  name: "my_work",
  description: "List your own Tasks: assigned (default), created, reviewing, delegated, due_soon or completed.",
  operations: ["listMyWork"],
  scopes: tasksRead,
  annotations: reads,
  input: Type.Object(
    {
      view: Type.Optional(Type.Enum(["assigned", "created", "reviewing", "delegated", "due_soon", "completed"])),
      limit: Limit,
      cursor: Cursor,
    },
    closed,
  ),
  output: TaskPage,
  run: (context, { view, limit = 20, cursor }) => taskPage(context, "listMyWork", { view, cursor }, limit),
});

const Day = Type.Optional(Type.String({ description: "YYYY-MM-DD" }));
const Moment = Type.Optional(Type.String({ description: "RFC 3339" }));
const listTasks = tool({
  name: "list_tasks",
  description: "List Tasks by any of these filters. status and milestone need a project.",
  operations: ["listWorkspaceTasks", ...looksUp],
  scopes: tasksRead,
  annotations: reads,
  input: Type.Object(
    {
      project: Type.Optional(Key("Its key")),
      status: Type.Optional(text(100)),
      category: Type.Optional(words(["backlog", "unstarted", "started", "completed", "cancelled"])),
      assignee: Type.Optional(text(100, "Username, me or none")),
      labels: Type.Optional(Type.Array(text(100), { minItems: 1, maxItems: 10, description: "Any of them" })),
      milestone: Type.Optional(text(40, "Such as ENG-M3, or none")),
      priority: Type.Optional(words(["none", "low", "medium", "high", "urgent"])),
      title: Type.Optional(text(200, "Contains")),
      due_after: Day,
      due_before: Day,
      updated_since: Moment,
      completed_after: Moment,
      completed_before: Moment,
      sort: Type.Optional(Type.Enum(["updated", "created", "due", "priority", "title"])),
      limit: Limit,
      cursor: Cursor,
    },
    closed,
  ),
  output: TaskPage,
  async run(context, args) {
    const { call, self } = context;
    const { project, status, category, assignee, labels, milestone, priority, title, limit = 20, ...rest } = args;
    const within = project === undefined ? null : await projectId(call, project);
    const [status_id, assignee_actor_id, label_id, milestone_id] = await Promise.all([
      status === undefined ? undefined : inProject("status", within, (id) => statusId(call, id, status)),
      assignee === undefined || assignee === "none" ? assignee : actorId(call, self, assignee),
      labels && labelIds(call, within, labels).then((ids) => ids.join(",")),
      milestone === undefined || milestone === "none"
        ? milestone
        : inProject("milestone", within, (id) => milestoneId(call, id, milestone)),
    ]);
    const query = {
      project_id: within ?? undefined,
      ...{ status_id, assignee_actor_id, label_id, milestone_id },
      category: category?.join(","),
      priority: priority?.join(","),
      text: title,
      ...rest,
    };
    return taskPage(context, "listWorkspaceTasks", query, limit);
  },
});
const inProject = (argument: string, project: string | null, look: (id: string) => Promise<string>) =>
  project === null ? unnamed(argument, "needs a project beside it") : look(project);

export const listingTools: readonly Tool[] = [myWork, listTasks];
