// Tool that lists Tasks: page by page in their present state, or saved as a result set for later calls. A page that
// examined many and found few continues, and reports progress to clients that ask for it.
import { dueWords } from "@svc/contract/planning/tasks/lists/filters.ts";
import Type from "typebox";
import { newId } from "../../platform/wire/ids.ts";
import {
  Cursor,
  closed,
  GO_ON,
  Key,
  Limit,
  Moment,
  OptionalDay,
  Page,
  ResultSet,
  reads,
  tasksRead,
  text,
  words,
} from "./arguments.ts";
import { actorId, labelIds, looksUp, milestoneId, projectId, statusId, unnamed } from "./names.ts";
import { type Args, type Tool, type ToolContext, tool } from "./tool.ts";
import { compact, LIST_INCLUDE, moreOf, TaskShown, taskRow, UNTRUSTED, Untrusted } from "./tool-output.ts";

type Query = Record<string, unknown>;
/** Continues while a page examined many and found few. */
export async function taskPage({ call, step }: ToolContext, operation: string, query: Query, limit: number) {
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

/** Filters in the form of the Workspace list: ids instead of names. */
async function queryOf({ call, self }: ToolContext, args: Args): Promise<Query> {
  const { project, status, category, assignee, labels, milestone, priority, due, title, ...rest } = args;
  const within = project === undefined ? null : await projectId(call, project);
  const [status_id, assignee_actor_id, label_id, milestone_id] = await Promise.all([
    status === undefined ? undefined : inProject("status", within, (id) => statusId(call, id, status)),
    assignee === undefined || assignee === "none" ? assignee : actorId(call, self, assignee),
    labels && labelIds(call, within, labels).then((ids) => ids.join(",")),
    milestone === undefined || milestone === "none"
      ? milestone
      : inProject("milestone", within, (id) => milestoneId(call, id, milestone)),
  ]);
  return {
    project_id: within ?? undefined,
    status_id,
    assignee_actor_id,
    label_id,
    milestone_id,
    category: category?.join(","),
    priority: priority?.join(","),
    due: due?.join(","),
    text: title,
    ...rest,
  };
}
const inProject = (argument: string, project: string | null, look: (id: string) => Promise<string>) =>
  project === null ? unnamed(argument, "needs a project beside it") : look(project);

interface Saved {
  id: string;
  version: number;
}
/**
 * A new result set of this query, or the next version of one. A capture is its caller's own: a second one has no effect
 * on others.
 */
async function captured(context: ToolContext, args: Args, from: Saved | undefined): Promise<Query> {
  const refreshed = from && { result_set_id: from.id, version: from.version };
  const { body } = await context.call("captureTaskResultSet", {
    body: refreshed ?? { query: await queryOf(context, args) },
    key: newId(),
  });
  const { id, version, count, complete, expires_at } = body;
  return { id, version, count, complete, expires_at };
}

/**
 * Present state of the captured Tasks from the cursor on, as many as one answer holds. The cursor counts shown Tasks
 * and not the pages of the operation.
 */
async function hydrated({ call }: ToolContext, { id, version }: Saved, { limit = 20, cursor = "0" }: Args) {
  const offset = /^\d{1,3}$/.test(cursor)
    ? Number(cursor)
    : unnamed("cursor", "must be next_cursor of the last answer");
  const query = { version, offset, include: "status,assignee,milestone" };
  const { body } = await call("hydrateTaskResultSet", { params: { id }, query });
  const shown = (body.items as { state: string; task: Query | null }[]).slice(0, limit);
  const next = offset + shown.length;
  return {
    items: shown.map(({ state, task }) => ({
      ...(task && taskRow(task, body.included)),
      ...(state !== "current" && { state }),
    })),
    ...(next < body.count && { next_cursor: String(next), more: `${body.count - next} more: ${SAVED_ON}` }),
  };
}
const SAVED_ON = "call again with this result_set and cursor set to next_cursor.";
const FILTERS = ["limit", "cursor", "result_set", "save"];

async function resultSet(context: ToolContext, args: Args) {
  const { result_set, save, ...given } = args;
  const filter = Object.keys(given).find((name) => !FILTERS.includes(name));
  if (result_set && filter) unnamed(filter, "is a filter: a result set keeps its own, so leave it out");
  if (save && given.cursor !== undefined) unnamed("cursor", "goes with what was saved: leave save out");
  const { limit, cursor, ...filters } = given;
  const set = save ? await captured(context, filters, result_set) : result_set;
  return { ...UNTRUSTED, result_set: compact(set), ...(await hydrated(context, set, { limit, cursor })) };
}

const listTasks = tool({
  name: "list_tasks",
  description: "List Tasks by these filters. status and milestone need a project.",
  operations: ["listWorkspaceTasks", "captureTaskResultSet", "hydrateTaskResultSet", ...looksUp],
  scopes: tasksRead,
  human: ["save", "result_set"],
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
      due: Type.Optional(words([...dueWords, "none"])),
      due_after: OptionalDay,
      due_before: OptionalDay,
      updated_since: Moment,
      completed_after: Moment,
      completed_before: Moment,
      sort: Type.Optional(Type.Enum(["updated", "created", "due", "priority", "title"])),
      limit: Limit,
      cursor: Cursor,
      save: Type.Optional(
        Type.Boolean({ description: "Save up to 1,000 as a result_set; with result_set: run it again" }),
      ),
      result_set: Type.Optional(ResultSet),
    },
    closed,
  ),
  output: Type.Object({
    ...Untrusted,
    items: Type.Array(Type.Partial(TaskShown)),
    result_set: Type.Optional(Type.Object({ id: Type.String(), version: Type.Integer() })),
    ...Page,
  }),
  async run(context, args) {
    if (args.save || args.result_set) return resultSet(context, args);
    const { save: _, limit = 20, ...filters } = args;
    return taskPage(context, "listWorkspaceTasks", await queryOf(context, filters), limit);
  },
});

export const listingTools: readonly Tool[] = [listTasks];
