// One shape of a Task for all commands, whichever operation or tool returned it: codes and names for people and
// scripts.
import type { Client } from "@svc/client";
import type { Told } from "../tools.ts";
import type { Screen } from "./screen.ts";
import { type Column, fields, table } from "./table.ts";

type CliTask = Awaited<ReturnType<Client["getCliTask"]>>;
type CliRow = Omit<CliTask, "description_markdown" | "capabilities">;

export interface TaskLine {
  code: string;
  title: string;
  status: string | null;
  category: string | null;
  priority: string;
  assignee: string | null;
  milestone: string | null;
  labels: string[];
  due_date: string | null;
  completed_at: string | null;
  revision: string;
  [more: string]: unknown;
}

const personOf = (person: { username: string | null; display_name: string | null } | null) =>
  person?.username ?? person?.display_name ?? null;

export const lineOf = (row: CliRow): TaskLine => ({
  code: row.code,
  title: row.title,
  status: row.status.name,
  category: row.status.category,
  priority: row.priority,
  assignee: personOf(row.assignee),
  milestone: row.milestone_code,
  labels: row.labels,
  due_date: row.due_date,
  completed_at: row.completed_at,
  revision: row.revision,
});

/** A Task from a tool, which omits empty fields. */
export const lineOfTool = (row: Told): TaskLine => ({
  code: row.code,
  title: row.title,
  status: row.status ?? null,
  category: row.category ?? null,
  priority: row.priority ?? "none",
  assignee: row.assignee ?? null,
  milestone: row.milestone ?? null,
  labels: row.labels ?? [],
  due_date: row.due_date ?? null,
  completed_at: row.completed_at ?? null,
  revision: row.revision,
});

export const taskOf = (task: CliTask): TaskLine => ({
  ...lineOf(task),
  project: task.project_code,
  start_date: task.start_date,
  started_at: task.started_at,
  trashed_at: task.trashed_at,
  created_at: task.created_at,
  updated_at: task.updated_at,
  description_markdown: task.description_markdown,
});

const columns: readonly Column<TaskLine>[] = [
  { title: "code", of: ({ code }) => code, colour: "cyan" },
  { title: "title", of: ({ title }) => title, shrinks: true },
  { title: "status", of: ({ status }) => status, shrinks: true },
  { title: "priority", of: ({ priority }) => (priority === "none" ? "" : priority), colour: "yellow" },
  { title: "assignee", of: ({ assignee }) => assignee, shrinks: true },
  { title: "due", of: ({ due_date }) => due_date },
  { title: "labels", of: ({ labels }) => labels.join(", "), shrinks: true },
];
export const taskTable = (rows: readonly TaskLine[], screen: Screen, nothing: string) =>
  rows.length === 0 && screen.columns !== null ? nothing : table(rows, columns, screen);

export const taskFields = (task: TaskLine, screen: Screen): string =>
  fields(
    [
      ["Status", task.status],
      ["Priority", task.priority === "none" ? null : task.priority],
      ["Assignee", task.assignee],
      ["Milestone", task.milestone],
      ["Labels", task.labels.join(", ")],
      ["Start", task.start_date as string | null],
      ["Due", task.due_date],
      ["In the trash", task.trashed_at as string | null],
      ["Revision", task.revision],
    ],
    screen,
  );

export const titleLine = ({ code, title }: { code: string; title: string }, screen: Screen) =>
  `${screen.colour("cyan", code)}  ${screen.colour("bold", title)}`;

/** The hint that names the command to undo. */
export const undoLine = (command: string | undefined) => (command ? `Take it back: svc undo ${command}` : undefined);
