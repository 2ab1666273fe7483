// Optimistic updates of Tasks, and how to refresh a Task. `apply` is pure; a test compares it with the service's
// response.
import type { Client } from "@svc/client";
import type { Brought, Domain, Operation } from "../store/domain.ts";
import { orGone } from "../store/hints.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import { merge } from "../store/queue/sender.ts";
import type { Status, Task } from "../store/rows.ts";

type Applied = Pick<QueuedChange, "input" | "guess" | "creates" | "madeAt">;

/** Optimistic values until the response arrives. */
export interface Guess {
  /** Position in the column. */
  position?: number;
  /** Category of the new Status. */
  category?: Status["category"];
  /** Creator and Workspace of a new Task. */
  created_by_actor_id?: string;
  workspace_id?: string;
  /** Status and labels of a Task in its new Project. */
  status_id?: string;
  label_ids?: string[];
  /** Copied fields of a duplicate. */
  fields?: Partial<Task>;
}

/**
 * Sets started_at and completed_at when the Status enters their category, preserves them within it, and clears them on
 * leaving; cancelling preserves started_at.
 */
function times(category: string, { started_at, completed_at }: Pick<Task, "started_at" | "completed_at">, now: string) {
  const working = category === "started" || category === "completed";
  return {
    started_at: working ? (started_at ?? now) : category === "cancelled" ? started_at : null,
    completed_at: category === "completed" ? (completed_at ?? now) : null,
  };
}

/** Input fields that are not columns of the row: ids, neighbours and the Project. */
const NOT_FIELDS = ["task_id", "after_task_id", "before_task_id", "project_id"];
const fieldsOf = (input: QueuedChange["input"]) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !NOT_FIELDS.includes(name))) as Partial<Task>;

function update(task: Task | undefined, { input, guess, madeAt }: Applied): Task | undefined {
  if (!task) return task;
  const { position, category } = guess as Guess;
  const now = new Date(madeAt).toISOString();
  const fields = fieldsOf(input);
  const enters = fields.status_id !== undefined && fields.status_id !== task.status_id;
  return {
    ...task,
    ...fields,
    ...(enters && category && times(category, task, now)),
    ...(position !== undefined && { position }),
    updated_at: now,
  };
}

function create(_task: Task | undefined, { input, guess, creates, madeAt }: Applied): Task {
  const { position = 0, category = "unstarted", created_by_actor_id = "", workspace_id = "" } = guess as Guess;
  const now = new Date(madeAt).toISOString();
  return {
    id: creates as string,
    revision: "0",
    created_at: now,
    updated_at: now,
    workspace_id,
    created_by_actor_id,
    project_id: input.project_id as string,
    number: 0,
    code: "" as Task["code"],
    title: "",
    position,
    priority: "none",
    status_id: "",
    assignee_actor_id: null,
    milestone_id: null,
    label_ids: [],
    parent_id: null,
    start_date: null,
    due_date: null,
    trashed_at: null,
    ...times(category, { started_at: null, completed_at: null }, now),
    ...fieldsOf(input),
  };
}

/**
 * Moves a Task to another Project: Status and labels are predicted; the code does not change until the response
 * arrives.
 */
function move(task: Task | undefined, { input, guess, madeAt }: Applied): Task | undefined {
  const { status_id, label_ids } = guess as Guess;
  if (!task || input.project_id === task.project_id) return task;
  const moved = update(task, { input: status_id ? { status_id } : {}, guess, creates: null, madeAt });
  return (
    moved && {
      ...moved,
      project_id: input.project_id as string,
      milestone_id: null,
      ...(label_ids && { label_ids }),
    }
  );
}
/** Copies the fields that a new Task can have. */
const duplicate = (_task: Task | undefined, change: Applied): Task =>
  create(undefined, { ...change, input: (change.guess as Guess).fields ?? {} });

/** Applies the same change to many Tasks. */
function bulk(task: Task | undefined, { input, guess, madeAt }: Applied): Task | undefined {
  const { add_label_ids, remove_label_ids, trashed, ...changes } = input.changes as Record<string, unknown>;
  const labels = (of: readonly string[]) => [
    ...new Set([
      ...of.filter((id) => !(remove_label_ids as string[])?.includes(id)),
      ...((add_label_ids as string[]) ?? []),
    ]),
  ];
  const changed = update(task, { input: changes, guess, creates: null, madeAt });
  return (
    changed && {
      ...changed,
      ...(Boolean(add_label_ids ?? remove_label_ids) && { label_ids: labels(changed.label_ids) }),
      ...(trashed !== undefined && { trashed_at: trashed ? new Date(madeAt).toISOString() : null }),
    }
  );
}

const trash =
  (trashed: boolean) =>
  (task: Task | undefined, { madeAt }: Applied) =>
    task && { ...task, trashed_at: trashed ? new Date(madeAt).toISOString() : null };

const restoreDescription = (task: Task | undefined, { guess, madeAt }: Applied) =>
  task && {
    ...task,
    description_markdown: guess.description_markdown as string,
    updated_at: new Date(madeAt).toISOString(),
  };

/** The client's types lack the parameter `include`. */
export const withCounts: object = { include: "counts" };
export const readTask = (api: Client, id: string) =>
  orGone(
    "task",
    id,
    api.getTask({ task_id: id, ...withCounts }).then((task) => ({ task: [task] }) as Brought),
  );
/** All of them have just changed, so the latest Tasks of their Projects contain most; the rest is read one by one. */
async function readMany(api: Client, ids: readonly string[], projectIds: Iterable<string>): Promise<Brought> {
  const left = new Set(ids);
  const found: Brought = {};
  for (const project_id of ids.length > 3 ? projectIds : []) {
    const { items } = await api.listProjectTasks({ project_id, sort: "updated", limit: 100, ...withCounts });
    const ours = items.filter(({ id }) => left.delete(id));
    merge(found, { task: ours });
  }
  for (const id of left) merge(found, await readTask(api, id));
  return found;
}

const task = (apply: Operation<Task>["apply"], more: Partial<Operation<Task>> = {}): Operation<never> =>
  ({ kind: "task", apply, ...more }) as unknown as Operation<never>;

export const tasksDomain: Domain = {
  operations: {
    createTask: task(create, { unmatched: true }),
    updateTask: task(update, { unmatched: ["after_task_id", "before_task_id"] }),
    moveTask: task(move),
    duplicateTask: task(duplicate, { unmatched: true }),
    trashTask: task(trash(true)),
    restoreTask: task(trash(false)),
    restoreTaskDescription: task(restoreDescription),
    updateTasks: task(bulk, {
      unmatched: true,
      rows: ({ ids, guess }, api) => readMany(api, ids, (guess.project_ids as string[] | undefined) ?? []),
    }),
  },
  read: { task: readTask },
};
