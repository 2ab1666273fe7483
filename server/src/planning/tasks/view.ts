// Wire representation of Tasks. The query must provide the Task as t, and the key of its Project as p.key, or as a
// parameter if it is known already.
import { TaskFields, TaskRow } from "@svc/contract/planning/tasks/tasks.ts";
import { view } from "../../platform/database/view.ts";
import { projectOfCaller, projectVisible } from "../projects/access.ts";

/** The parent of Task t, if the caller can see it. */
const PARENT = `(
  select (
    select u.id from tasks u cross join lateral (
      select from projects p ${projectOfCaller}
      where p.workspace_id = u.workspace_id and p.id = u.project_id and ${projectVisible} limit 1) seen
    where u.workspace_id = r.workspace_id and u.id = r.from_task_id limit 1)
  from task_relations r where r.workspace_id = t.workspace_id and r.to_task_id = t.id and r.kind = 'parent_of'
  limit 1)`;
const computed = (projectKey: string, parent: string) => ({
  code: `${projectKey} || '-' || t.number`,
  parent_id: parent,
});

export const taskView = (projectKey = "p.key", parent = PARENT) => view(TaskFields, "t", computed(projectKey, parent));

/** A Task in a list: with an excerpt instead of the whole description. */
export const TASK_ROW = view(TaskRow, "t", {
  ...computed("p.key", PARENT),
  description_excerpt: "coalesce(t.description_excerpt, plain_excerpt(t.description_markdown))",
});
