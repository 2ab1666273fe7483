// Tools that write: small changes, which take effect at once and can be undone. A tool that creates something takes a
// key; one that changes something takes the revision that was read.
import Type from "typebox";
import { CallKey, Code, closed } from "./arguments.ts";
import { actorId, labelIds, looksUp, milestoneId, projectId, statusId, taskNamed } from "./names.ts";
import { receiptOf } from "./read-tools.ts";
import { type Tool, type ToolContext, tool } from "./tool.ts";
import { cliTask, compact, taskLinks, UNTRUSTED, Untrusted, Written, written } from "./tool-output.ts";

const creates = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
const changes = creates;
const Revision = Type.String({ pattern: "^[0-9]{1,19}$", description: "As you read it" });
/** A single schema with two types costs clients fewer tokens than a union of two schemas. */
const orNull = (schema: Type.TString) =>
  Type.Optional(Type.Unsafe<string | null>({ ...schema, type: ["string", "null"] }));
const short = (description?: string) =>
  Type.String({ minLength: 1, maxLength: 100, ...(description !== undefined && { description }) });
const Markdown = Type.String({ maxLength: 262_144, description: "Markdown" });
const Day = Type.String({ format: "date" });

export const fields = {
  description: Type.Optional(Markdown),
  priority: Type.Optional(Type.Enum(["none", "low", "medium", "high", "urgent"])),
  status: Type.Optional(short("Its name")),
  assignee: orNull(short("Username or me")),
  labels: Type.Optional(Type.Array(short(), { maxItems: 50, description: "Names; all of them" })),
  milestone: orNull(short("Such as ENG-M3")),
  parent: orNull(short("Task code")),
  start_date: orNull(Day),
  due_date: orNull(Day),
};
interface Fields {
  title?: string;
  description?: string;
  status?: string;
  assignee?: string | null;
  labels?: string[];
  milestone?: string | null;
  parent?: string | null;
}
/** Fields in the operation's form: ids instead of names, looked up in parallel. */
export async function bodyOf({ call, self }: ToolContext, project: string, given: Fields) {
  const { description, status, assignee, labels, milestone, parent, ...plain } = given;
  const unless = <T>(name: string | null | undefined, look: (name: string) => Promise<T>) =>
    name === undefined || name === null ? name : look(name);
  const [status_id, assignee_actor_id, label_ids, milestone_id, parent_id] = await Promise.all([
    unless(status, (name) => statusId(call, project, name)),
    unless(assignee, (name) => actorId(call, self, name)),
    labels && labelIds(call, project, labels),
    unless(milestone, (code) => milestoneId(call, project, code)),
    unless(parent, async (code) => (await taskNamed(call, code)).id),
  ]);
  const body = {
    ...plain,
    description_markdown: description,
    status_id,
    assignee_actor_id,
    label_ids,
    milestone_id,
    parent_id,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

const TaskWritten = Type.Object({
  ...Untrusted,
  code: Type.String(),
  title: Type.String(),
  revision: Type.String(),
  ...Written.properties,
});
interface WrittenTask {
  code: string;
  title: string;
  revision: string;
}
const taskWritten = (context: ToolContext, { code, title, revision }: WrittenTask) => ({
  ...UNTRUSTED,
  code,
  title,
  revision,
  ...taskLinks(context, code),
});

const tasksWrite = ["svc:write", "svc:tasks:write"];

const createTask = tool({
  name: "create_task",
  description: "Create a Task in a Project.",
  operations: ["createTask", ...looksUp],
  scopes: tasksWrite,
  annotations: creates,
  ownResult: true,
  input: Type.Object(
    {
      project: Type.String({ pattern: "^[A-Za-z][A-Za-z0-9]{1,9}$", description: "Its key" }),
      title: Type.String({ minLength: 1, maxLength: 500 }),
      ...fields,
      key: CallKey,
    },
    closed,
  ),
  output: TaskWritten,
  async run(context, args) {
    const { project, key: _, ...given } = args;
    const within = await projectId(context.call, project);
    const done = await context.call("createTask", {
      params: { project_id: within },
      body: await bodyOf(context, within, given),
      key: await context.key(),
    });
    return { ...taskWritten(context, done.body), ...written(done) };
  },
});

const updateTask = tool({
  name: "update_task",
  description:
    "Change fields of a Task at the revision that you read. null clears a field. " +
    "To start, finish or reopen it use advance_task.",
  operations: ["updateTask", ...looksUp],
  scopes: tasksWrite,
  annotations: changes,
  input: Type.Object(
    {
      code: Code,
      revision: Revision,
      title: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
      ...fields,
    },
    closed,
  ),
  output: TaskWritten,
  async run(context, args) {
    const { code, revision, ...given } = args;
    const task = await taskNamed(context.call, code);
    const done = await context.call("updateTask", {
      params: { task_id: task.id },
      body: await bodyOf(context, task.project_id, given),
      key: await context.key(),
      revision,
    });
    return { ...taskWritten(context, done.body), ...written(done) };
  },
});

const steps = { start: "startCliTask", finish: "completeCliTask", reopen: "reopenCliTask" } as const;
const advanceTask = tool({
  name: "advance_task",
  description:
    "Start a Task (it becomes yours), finish it (first to review, where the Project requires that), or reopen it.",
  operations: [...Object.values(steps), "getTaskByCode", "listProjectStatuses"],
  scopes: tasksWrite,
  annotations: changes,
  input: Type.Object(
    {
      code: Code,
      revision: Revision,
      step: Type.Enum(["start", "finish", "reopen"]),
      status: Type.Optional(short("With finish, where several Statuses are done")),
    },
    closed,
  ),
  output: TaskWritten,
  async run(context, args) {
    const { call, key } = context;
    const { code, revision, step, status } = args;
    const task = status === undefined || step !== "finish" ? null : await taskNamed(call, code);
    const target = task && status !== undefined ? await statusId(call, task.project_id, status) : undefined;
    const done = await call(steps[step], {
      params: { task_code: code },
      query: { target_status_id: target },
      key: await key(),
      revision,
    });
    return { ...taskWritten(context, done.body), ...compact({ status: cliTask(done.body).status }), ...written(done) };
  },
});

const comment = tool({
  name: "comment",
  description: "Comment on a Task.",
  operations: ["createCliTaskComment"],
  scopes: ["svc:write", "svc:comments:write"],
  annotations: creates,
  ownResult: true,
  input: Type.Object({ code: Code, markdown: Type.String({ minLength: 1, maxLength: 262_144 }), key: CallKey }, closed),
  output: Type.Object({ code: Type.String(), ...Written.properties }),
  async run(context, args) {
    const { call, key } = context;
    const { code, markdown } = args;
    const done = await call("createCliTaskComment", {
      params: { task_code: code },
      body: { markdown },
      key: await key(),
    });
    return { code, ...taskLinks(context, code), ...written(done) };
  },
});

const logTime = tool({
  name: "log_time",
  description: "Record your time on a Task. Equal calls are separate entries.",
  operations: ["createTimeEntry", "getTaskByCode"],
  scopes: ["svc:write", "svc:time:write"],
  annotations: { ...creates, idempotentHint: false },
  ownResult: true,
  input: Type.Object(
    {
      code: Code,
      duration: short("Such as 1h 30m"),
      date: Day,
      note: Type.Optional(Type.String({ maxLength: 2000 })),
      key: CallKey,
    },
    closed,
  ),
  output: Type.Object({ code: Type.String(), duration: Type.String(), ...Written.properties }),
  async run({ call, key }, args) {
    const { code, duration, date, note } = args;
    const task = await taskNamed(call, code);
    const done = await call("createTimeEntry", {
      params: { task_id: task.id },
      body: { duration, work_date: date, ...(note !== undefined && { note }) },
      key: await key(),
    });
    return { code: task.code, duration: done.body.duration, ...written(done) };
  },
});

const undo = tool({
  name: "undo",
  description: "Take back a write of yours, if all of it is still so. Undoing an undo does it again.",
  operations: ["undoOperation"],
  scopes: ["svc:write"],
  annotations: changes,
  ownResult: true,
  input: Type.Object({ command: Type.String({ minLength: 1, maxLength: 200 }) }, closed),
  output: Type.Object({ command: Type.String(), state: Type.String(), operation: Type.String() }),
  async run({ call }, args) {
    // Sends no key: a repeat is refused as already undone, and after a redo it is a new request.
    return receiptOf((await call("undoOperation", { body: { id: args.command } })).body);
  },
});

export const writingTools: readonly Tool[] = [createTask, updateTask, advanceTask, comment, logTime, undo];
