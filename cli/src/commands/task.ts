// Tasks: listing, reading and creating.
import { newKey } from "@svc/client";
import type { Run } from "../command.ts";
import { openSession } from "../credentials/session.ts";
import { usage } from "../failure.ts";
import { taskCode } from "../git.ts";
import { bodyOf, type Input, isPiped, textFrom } from "../input.ts";
import { safe, safeLine } from "../output/screen.ts";
import {
  lineOf,
  lineOfTool,
  type TaskLine,
  taskFields,
  taskOf,
  taskTable,
  titleLine,
  undoLine,
} from "../output/task-shape.ts";
import { upTo } from "../pages.ts";
import { toolsOf } from "../tools.ts";
import { listRows } from "./work.ts";

const FILTERS = ["status", "assignee", "milestone", "title", "sort", "due-before", "due-after"] as const;
const MANY = ["category", "label", "priority", "due"] as const;

export const list: Run = async (input) => {
  const session = openSession(input);
  const project = input.text("project")?.toUpperCase();
  const limit = input.count("limit", 30);
  const filtered =
    FILTERS.some((name) => input.text(name) !== undefined) || MANY.some((name) => input.list(name).length > 0);
  const found =
    project !== undefined && !filtered
      ? await upTo(limit, (page) => session.client.listCliProjectTasks({ project_code: project, ...page }))
      : await listRows(
          (page) => toolsOf(session)("list_tasks", { project, ...filters(input), ...page }) as never,
          limit,
        );
  const items = found.items.map((row) => (project !== undefined && !filtered ? lineOf(row as never) : lineOfTool(row)));
  return {
    data: { items, has_more: found.has_more },
    text: (screen) => taskTable(items, screen, "There is no such Task."),
    next: found.has_more ? `There are more: --limit ${limit * 2}` : undefined,
  };
};
function filters(input: Input) {
  const some = (name: string) => (input.list(name).length > 0 ? input.list(name) : undefined);
  return {
    status: input.text("status"),
    category: some("category"),
    assignee: input.text("assignee"),
    labels: some("label"),
    milestone: input.text("milestone")?.toUpperCase(),
    priority: some("priority"),
    title: input.text("title"),
    due: some("due"),
    due_before: input.text("due-before"),
    due_after: input.text("due-after"),
    sort: input.text("sort"),
  };
}

export const view: Run = async (input) => {
  const { client } = openSession(input);
  const task_code = taskCode(input);
  const [task, comments] = await Promise.all([
    client.getCliTask({ task_code }),
    input.has("comments") ? client.listCliTaskComments({ task_code, order: "desc", limit: 100 }) : undefined,
  ]);
  const told = taskOf(task);
  const said = comments?.items.toReversed().map(({ author, markdown, created_at, deleted_at }) => ({
    author: author.username ?? author.display_name,
    markdown,
    created_at,
    deleted_at,
  }));
  return {
    data: { ...told, ...(said && { comments: said }) },
    text: (screen) =>
      [
        titleLine({ code: told.code, title: safeLine(told.title) }, screen),
        taskFields(told, screen),
        safe(task.description_markdown),
        ...(said ?? []).map(
          ({ author, markdown, created_at, deleted_at }) =>
            `${screen.colour("bold", safeLine(author ?? "somebody"))} ` +
            `${screen.colour("dim", created_at)}\n${deleted_at ? "(deleted)" : safe(markdown)}`,
        ),
      ]
        .filter((part) => part !== "")
        .join("\n\n"),
  };
};

/**
 * Reads title and description from the arguments, a file or standard input. The first line of standard input is the
 * title.
 */
function written(input: Input): { title: string; description?: string } {
  const words = input.list("title").join(" ");
  const body = bodyOf(input);
  if (words !== "" && words !== "-") return { title: words, ...(body !== undefined && { description: body }) };
  const file = input.text("file");
  if (file === undefined && words !== "-" && !isPiped(input))
    throw usage("TITLE is missing.", 'Say it so: svc task create ENG "Cut the gears"');
  const [title = "", ...rest] = textFrom(input, file ?? "-")
    .replace(/^\n+/, "")
    .split("\n");
  if (title.trim() === "") throw usage("The first line is the title, and it is empty.");
  return { title: title.replace(/^# +/, "").trim(), description: body ?? rest.join("\n").trim() };
}

const MORE = ["status", "assignee", "milestone", "parent", "due", "start-date"] as const;

export const create: Run = async (input) => {
  const session = openSession(input);
  const project = input.needed("project").toUpperCase();
  const { title, description } = written(input);
  const priority = input.text("priority") as "none" | undefined;
  const key = input.text("key") ?? newKey();
  const labels = input.list("label");
  const told = async (): Promise<{
    task: Pick<TaskLine, "code" | "title" | "revision">;
    command: string | undefined;
  }> => {
    if (labels.length === 0 && MORE.every((name) => input.text(name) === undefined)) {
      const asked = { project_code: project, title, description_markdown: description || undefined, priority };
      const made = await session.client.createCliTask(asked, { key });
      return { task: taskOf(made), command: session.client.commandOf(made) };
    }
    const {
      command,
      code,
      title: kept,
      revision,
    } = await toolsOf(session)("create_task", {
      project,
      title,
      description: description || undefined,
      priority,
      key,
      ...changesOf(input),
    });
    return { task: { code, title: kept, revision }, command };
  };
  const { task, command } = await told();
  return {
    data: { ...task, command },
    text: (screen) =>
      screen.columns === null ? task.code : `Created ${titleLine({ ...task, title: safeLine(task.title) }, screen)}`,
    next: undoLine(command),
  };
};

/** Fields that tools accept by name; `none` clears an optional one. */
export function changesOf(input: Input) {
  const orNone = (name: string) => (input.text(name) === "none" ? null : input.text(name));
  const labels = input.list("label");
  return {
    status: input.text("status"),
    assignee: orNone("assignee"),
    labels: labels.length === 0 ? undefined : labels.filter((name) => name !== "none"),
    milestone: orNone("milestone")?.toUpperCase() ?? orNone("milestone"),
    parent: orNone("parent")?.toUpperCase() ?? orNone("parent"),
    start_date: orNone("start-date"),
    due_date: orNone("due"),
  };
}
