// Moves a Task to another Project, and duplicates a Task: each is one operation, applied optimistically as far as the
// result can be predicted.
import type { Replica } from "../store/replica.ts";
import type { Task } from "../store/rows.ts";
import { entering, startingStatus } from "./actions.ts";

/** Possible target Projects: all active ones except its own. */
export const otherProjects = ({ store }: Replica, { project_id }: Pick<Task, "project_id">) =>
  [...store.all("project")].filter(({ id, archived_at }) => !archived_at && id !== project_id);

/**
 * Predicts the Status in the target Project as the service chooses it: the same one, one with the same name, the first
 * of the same category, or the initial one.
 */
function statusIn(replica: Replica, task: Task, projectId: string): string | undefined {
  const { store } = replica;
  const ids = store.fact<string[]>(`columns:${projectId}`) ?? [];
  const own = store.get("status", task.status_id);
  const there = ids.flatMap((id) => store.get("status", id) ?? []);
  const found =
    there.find(({ id }) => id === task.status_id) ??
    there.find(({ name }) => name.toLowerCase() === own?.name.toLowerCase()) ??
    there.find(({ category }) => category === own?.category);
  return found?.id ?? startingStatus(replica, projectId);
}
export function moveTo(replica: Replica, id: string, projectId: string) {
  const { store } = replica;
  const task = store.get("task", id);
  if (!task) return;
  const status_id = statusIn(replica, task, projectId);
  replica.make("moveTask", {
    ids: [id],
    input: { task_id: store.real(id), project_id: projectId },
    guess: {
      ...(status_id && { ...entering(replica, projectId, status_id), status_id }),
      label_ids: task.label_ids.filter((label) => !store.get("label", label)?.project_id),
    },
  });
}
/** Returns the provisional id of the copy. */
export function duplicate(replica: Replica, id: string): string | null {
  const { store, member } = replica;
  const task = store.get("task", id);
  if (!task) return null;
  const { title, description_markdown, priority, label_ids, start_date, due_date, milestone_id, project_id } = task;
  const status_id = startingStatus(replica, project_id);
  const fields = { title, description_markdown, priority, label_ids, start_date, due_date, milestone_id };
  const create = { created_by_actor_id: member.actorId, workspace_id: member.workspaceId };
  return replica.make("duplicateTask", {
    input: { task_id: store.real(id) },
    guess: {
      ...(status_id && entering(replica, project_id, status_id)),
      ...create,
      fields: { ...fields, ...(status_id && { status_id }), project_id },
    },
    creates: true,
  });
}
