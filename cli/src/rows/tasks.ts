// Rows of the table of commands: the caller's own work, and Tasks.
import type { Command } from "../command.ts";
import {
  code,
  inProject,
  key,
  limit,
  neededCode,
  PRIORITIES,
  project,
  revision,
  taskFields,
  textFlags,
} from "./pieces.ts";

export const taskRows: readonly Command[] = [
  {
    name: "work",
    summary: "List what is on your plate",
    details: "The Tasks that are assigned to you and open, the soonest due first; with --view other lists of yours.",
    flags: [
      {
        name: "view",
        value: "name",
        help: "Which list",
        offered: ["assigned", "created", "reviewing", "delegated", "due_soon", "completed"],
      },
      limit(30),
    ],
    examples: [
      ["work", "what is assigned to you"],
      ["work --jq '.items[].code'", "only the codes"],
    ],
    load: async () => (await import("../commands/work.ts")).work,
  },
  {
    name: "task list",
    summary: "List Tasks",
    details: "Of one Project, or of the whole Workspace, narrowed down by filters.",
    flags: [
      inProject,
      { name: "status", short: "s", value: "name", help: "In this Status; needs --project", offered: "status" },
      {
        name: "category",
        value: "name",
        help: "In Statuses of this kind",
        many: true,
        offered: ["backlog", "unstarted", "started", "completed", "cancelled"],
      },
      { name: "assignee", short: "a", value: "person", help: "Username, me, or none" },
      { name: "label", short: "l", value: "name", help: "With any of these labels", many: true },
      { name: "milestone", short: "m", value: "code", help: "Such as ENG-M3, or none; needs --project" },
      { name: "priority", value: "level", help: "Any of these", many: true, offered: PRIORITIES },
      { name: "title", value: "text", help: "The title contains it" },
      {
        name: "due",
        value: "when",
        help: "Any of these; week is today and the six days after it",
        many: true,
        offered: ["overdue", "today", "week", "none"],
      },
      { name: "due-before", value: "day", help: "Due on this day or before it" },
      { name: "due-after", value: "day", help: "Due on this day or after it" },
      {
        name: "sort",
        value: "order",
        help: "In which order",
        offered: ["updated", "created", "due", "priority", "title"],
      },
      limit(30),
    ],
    examples: [
      ["task list -p ENG", "the newest Tasks of ENG"],
      ["task list -a me --category started --json code,title", "what you have begun, for a script"],
    ],
    load: async () => (await import("../commands/task.ts")).list,
  },
  {
    name: "task view",
    summary: "Show a Task",
    arguments: [code],
    flags: [{ name: "comments", short: "c", help: "With its newest comments" }],
    examples: [
      ["task view eng-12", "in any case"],
      ["task view", "the one that the Git branch names"],
    ],
    load: async () => (await import("../commands/task.ts")).view,
  },
  {
    name: "task create",
    summary: "Create a Task",
    details:
      "Without a title it is read from a file or standard input: the first line is the title, " +
      "the rest the description.",
    arguments: [project, { name: "title", help: "What is to be done", optional: true, many: true }],
    flags: [
      ...textFlags("The description"),
      { name: "file", short: "f", value: "file", help: "Title and description; - is standard input", offered: "file" },
      ...taskFields,
      key,
    ],
    examples: [
      ['task create ENG "Cut the gears" --priority high', "with a priority"],
      ["task create ENG < gears.md", "title and description from a file"],
    ],
    load: async () => (await import("../commands/task.ts")).create,
  },
  {
    name: "task edit",
    summary: "Change a Task",
    arguments: [code],
    flags: [
      { name: "title", short: "t", value: "text", help: "Its title" },
      ...textFlags("The description"),
      ...taskFields,
      revision,
    ],
    examples: [
      ["task edit ENG-12 --priority high --assignee me", "take it over"],
      ["task edit ENG-12 --due none", "without a due date"],
    ],
    load: async () => (await import("../commands/task-change.ts")).edit,
  },
  {
    name: "task start",
    alias: "start",
    summary: "Start a Task: it becomes yours",
    arguments: [code],
    flags: [{ name: "branch", help: "Make a Git branch for it, or go to the one that it has" }, revision],
    examples: [["start ENG-12 --branch", "on a branch such as eng-12-cut-the-gears"]],
    load: async () => (await import("../commands/task-change.ts")).start,
  },
  {
    name: "task done",
    alias: "done",
    summary: "Finish a Task, or hand it over for review",
    arguments: [code],
    flags: [
      { name: "status", short: "s", value: "name", help: "Where several count as done", offered: "status" },
      revision,
    ],
    examples: [["done", "the Task of this branch"]],
    load: async () => (await import("../commands/task-change.ts")).done,
  },
  {
    name: "task reopen",
    summary: "Reopen a Task that is done",
    arguments: [code],
    flags: [revision],
    examples: [["task reopen ENG-12", "it was not done after all"]],
    load: async () => (await import("../commands/task-change.ts")).reopen,
  },
  {
    name: "task move",
    summary: "Propose to move a Task to another Project",
    details: "Its code changes and others may lose sight of it, so it is a ChangeSet that you approve in the browser.",
    arguments: [neededCode, project],
    flags: [revision],
    examples: [["task move ENG-12 OPS", "and then svc changes apply"]],
    load: async () => (await import("../commands/task-change.ts")).move,
  },
  {
    name: "task open",
    summary: "Open a Task in the browser",
    arguments: [code],
    examples: [["task open", "the Task of this branch"]],
    load: async () => (await import("../commands/task-change.ts")).open,
  },
];
