// Indexes of Tasks (by board column, by Project; without trashed ones) and of Milestones.
import type { Milestone, Task } from "../store/rows.ts";
import type { Index } from "../store/sorted-index.ts";

export const columnOf = (projectId: string, statusId: string) => `${projectId}/${statusId}`;
export const byColumn: Index<Task> = {
  groups: (task) => (task.trashed_at ? [] : [columnOf(task.project_id, task.status_id)]),
  compare: (one, other) => one.position - other.position,
};
/** Newest first, like the service's list. */
export const byProject: Index<Task> = {
  groups: (task) => (task.trashed_at ? [] : [task.project_id]),
  compare: (one, other) => (one.created_at < other.created_at ? 1 : one.created_at > other.created_at ? -1 : 0),
};
/** Milestones of a Project by target date. */
export const byDate: Index<Milestone> = {
  groups: ({ project_id }) => [project_id],
  compare: (one, other) => (one.target_date ?? "9").localeCompare(other.target_date ?? "9"),
};
