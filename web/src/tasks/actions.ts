// Task commands of the pages. Each is one operation of the service, applied optimistically.
import { newKey } from "@svc/client";
import type { Replica } from "../store/replica.ts";
import type { Task } from "../store/rows.ts";
import { byColumn, columnOf } from "./indexes.ts";
import type { Guess } from "./operations.ts";

type Fields = Partial<
  Pick<
    Task,
    | "title"
    | "description_markdown"
    | "priority"
    | "assignee_actor_id"
    | "milestone_id"
    | "start_date"
    | "due_date"
    | "label_ids"
    | "status_id"
    | "parent_id"
  >
>;

/** Position before all cards of the column, where the service inserts entering Tasks. */
function firstPlace({ store }: Replica, projectId: string, statusId: string): number {
  const [first] = store.group("task", byColumn, columnOf(projectId, statusId)).ids;
  const task = first === undefined ? undefined : store.get("task", first);
  return (task?.position ?? 1) - 1;
}
export function entering(replica: Replica, projectId: string, statusId: string): Guess {
  return {
    position: firstPlace(replica, projectId, statusId),
    category: replica.store.get("status", statusId)?.category,
  };
}

export function change(replica: Replica, id: string, fields: Fields, seen?: Task) {
  const task = replica.store.get("task", id);
  if (!task) return;
  const real = replica.store.real(id);
  const enters = fields.status_id !== undefined && fields.status_id !== task.status_id;
  replica.make("updateTask", {
    ids: [id],
    input: { task_id: real, ...fields },
    guess: enters ? { ...entering(replica, task.project_id, fields.status_id as string) } : {},
    ...(seen && { seen }),
  });
}

/** Moves a Task into a column behind another card, or first. */
export function place(replica: Replica, id: string, statusId: string, afterId: string | null) {
  const { store } = replica;
  const task = store.get("task", id);
  if (!task || afterId === id) return;
  const ids = store
    .group("task", byColumn, columnOf(task.project_id, statusId))
    .ids.filter((each) => each !== store.real(id));
  const at = afterId === null ? 0 : ids.indexOf(store.real(afterId)) + 1;
  const [before, behind] = [ids[at - 1], ids[at]].map((each) => (each ? store.get("task", each)?.position : undefined));
  const position = before === undefined ? (behind ?? 1) - 1 : behind === undefined ? before + 1 : (before + behind) / 2;
  const enters = task.status_id !== statusId;
  const guess: Guess = { position, ...(enters && { category: store.get("status", statusId)?.category }) };
  replica.make("updateTask", {
    ids: [id],
    input: { task_id: store.real(id), ...(enters && { status_id: statusId }), after_task_id: ids[at - 1] ?? null },
    guess: { ...guess },
  });
}

/** Tasks with the same `batch` are created in order, reported once and undone together. */
export function create(
  replica: Replica,
  projectId: string,
  fields: Fields & { title: string },
  batch?: string,
): string {
  const { store, member } = replica;
  const statusId = fields.status_id ?? startingStatus(replica, projectId);
  const guess: Guess = {
    ...(statusId && entering(replica, projectId, statusId)),
    created_by_actor_id: member.actorId,
    workspace_id: member.workspaceId,
  };
  return replica.make("createTask", {
    input: { project_id: store.real(projectId), ...fields, ...(statusId && { status_id: statusId }) },
    guess: { ...guess },
    batch,
    creates: true,
  });
}
/** Initial Status as the service chooses it: the first unstarted one. */
export function startingStatus({ store }: Replica, projectId: string): string | undefined {
  const ids = store.fact<string[]>(`columns:${projectId}`) ?? [];
  const statuses = ids.map((id) => store.get("status", id));
  return (statuses.find((status) => status?.category === "unstarted") ?? statuses[0])?.id;
}

export function trash(replica: Replica, id: string) {
  replica.make("trashTask", { ids: [id], input: { task_id: replica.store.real(id) } });
}

/** Most Tasks that one operation accepts. */
const MOST = 100;
export function changeMany(replica: Replica, ids: readonly string[], changes: Record<string, unknown>) {
  const { store, member } = replica;
  const batch = ids.length > MOST ? newKey() : undefined;
  for (let at = 0; at < ids.length; at += MOST) {
    const some = ids.slice(at, at + MOST).map(store.real);
    const projects = new Set(some.flatMap((id) => store.get("task", id)?.project_id ?? []));
    const statusId = changes.status_id as string | undefined;
    const guess = statusId ? { category: store.get("status", statusId)?.category } : {};
    replica.make("updateTasks", {
      ids: some,
      input: { workspace_id: member.workspaceId, task_ids: some, changes },
      guess: { ...guess, project_ids: [...projects] },
      batch,
    });
  }
}
