// Order of the steps of a workflow: by category, then by position.
import type { ProjectState, Status } from "../store/rows.ts";
import type { Index } from "../store/sorted-index.ts";

export const categories = ["backlog", "unstarted", "started", "completed", "cancelled"] as const;
export type Category = (typeof categories)[number];
type Step = Pick<Status, "category" | "position">;
const compare = (one: Step, other: Step) =>
  categories.indexOf(one.category) - categories.indexOf(other.category) || one.position - other.position;

/** Groups Statuses by owner ("workspace" or a Project's id), and by owner and category. */
export const statusesInOrder: Index<Status> = {
  groups: ({ project_id, archived_at, category }) => {
    const scope = project_id ?? "workspace";
    return archived_at ? [] : [scope, `${scope}/${category}`];
  },
  compare,
};
export const statesInOrder: Index<ProjectState> = {
  groups: ({ archived_at, category }) => (archived_at ? [] : ["workspace", `workspace/${category}`]),
  compare,
};
