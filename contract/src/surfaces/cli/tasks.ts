// Tasks and their comments on the command line: addressed by code, and without a single UUID in the answers.
import Type from "typebox";
import { C, list, op, T } from "../../kit.ts";
import { PersonName, StatusName } from "../../planning/tasks/context/context.ts";
import {
  Day,
  ListOrder,
  MarkdownBody,
  MarkdownText,
  nullable,
  object,
  Priority,
  Reaction,
  Revision,
  single,
  TaskCode,
  Timestamp,
  Title,
} from "../../types.ts";

const auth = [T, C] as const;

const fields = {
  code: TaskCode,
  project_code: Type.String(),
  title: Title(500),
  priority: Priority,
  status: StatusName,
  assignee: nullable(PersonName),
  milestone_code: nullable(Type.String({ description: "PROJECT_KEY-M and its number." })),
  start_date: nullable(Day),
  due_date: nullable(Day),
  started_at: nullable(Timestamp),
  completed_at: nullable(Timestamp),
  trashed_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
  revision: Revision,
};
const labels = Type.Array(Type.String(), { description: "Names of the labels, as the Project shows them." });
export const CliTaskRow = object({ ...fields, labels });
export const CliTaskFields = object({ ...fields, labels, description_markdown: MarkdownText });
/** In a context, which has little room. */
export const CliContextTask = object({ ...fields, description_markdown: MarkdownText });
export const CliTask = single(CliTaskFields);

export const listCliProjectTasks = list(
  "GET /cli/projects/{project_code}/tasks",
  "List the Tasks of a Project, newest first",
  { auth, items: CliTaskRow },
);

export const createCliTask = op("POST /cli/projects/{project_code}/tasks", "Create a Task", {
  description: "The Task starts in the Project's first unstarted Status.",
  auth,
  status: 201,
  creates: "/cli/tasks/{code}",
  idempotencyKey: "required",
  takesNumber: true,
  body: object({
    title: Title(500),
    description_markdown: Type.Optional(MarkdownText),
    priority: Type.Optional(Priority),
  }),
  example: { title: "Cut the gears", priority: "high" },
  returns: CliTask,
  errors: ["project_archived", "project_closed", "invalid_reference"],
});

export const getCliTask = op("GET /cli/tasks/{task_code}", "Read a Task", {
  description: "A code of the Task before it moved to another Project also finds it; the answer has the current one.",
  auth,
  returns: CliTask,
});

export const CliComment = object({
  author: PersonName,
  markdown: MarkdownText,
  reactions: Type.Array(object({ reaction: Reaction, count: Type.Integer({ minimum: 1 }), reacted: Type.Boolean() }), {
    maxItems: 20,
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  deleted_at: nullable(Timestamp),
});

export const listCliTaskComments = list(
  "GET /cli/tasks/{task_code}/comments",
  "List the comments of a Task in creation order",
  {
    description:
      "order=desc lists the newest first. A deleted comment keeps its place, with an empty text. A page " +
      "ends early once it holds 1 MiB of text: only has_more indicates whether there are more.",
    auth,
    query: object({ order: Type.Optional(ListOrder) }),
    items: CliComment,
  },
);

export const createCliTaskComment = op("POST /cli/tasks/{task_code}/comments", "Comment on a Task", {
  auth,
  status: 201,
  creates: null,
  idempotencyKey: "required",
  body: object({ markdown: MarkdownBody }),
  example: { markdown: "The brass arrives **tomorrow**." },
  returns: CliComment,
  errors: ["project_archived", "task_trashed"],
});
