// SQL of the command line: data of other domains, read by code and shown without ids.
import { type CommentOrder, listCommentsAs } from "../../planning/comments/store.ts";
import { listProjectsAs } from "../../planning/projects/store.ts";
import { idByCode, partsOfCode } from "../../planning/tasks/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { ListRow } from "../../platform/kernel/implement-operation.ts";
import { LAST_NUMBER } from "../../platform/wire/ids.ts";
import { cliCommentView, cliProjectRowView, cliTaskRowView, cliTaskView } from "./view.ts";

interface Page {
  after: readonly unknown[] | null;
  limit: number;
}

const projects = listProjectsAs(cliProjectRowView);
export const listProjects = (tx: Queries, { after, limit }: Page) => projects(tx, { order: "key" }, after, limit + 1);

// A lookup and a lateral index scan: the planner would turn a plain join into a read of all Tasks of the Project.
const TASKS = `
select ${cliTaskRowView} as json, json_build_array(t.number)::text as key
from (select id, key from projects where workspace_id = current_workspace() and key = $1 limit 1) p
cross join lateral (
  select * from tasks where workspace_id = current_workspace() and project_id = p.id and trashed_at is null
    and number < $2
  order by number desc limit $3
) t
order by t.number desc`;
export const listTasks = (tx: Queries, projectCode: string, { after, limit }: Page) =>
  tx.rows<ListRow>(TASKS, [projectCode.toUpperCase(), after?.[0] ?? LAST_NUMBER, limit + 1]);

const TASK = `
select ${cliTaskView} as json, t.revision::text
from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id
where t.workspace_id = current_workspace() and t.id = $1`;
/** Reads the Task after a change in the same transaction. */
export const readTask = (tx: Queries, id: string) => tx.one<{ json: string; revision: string }>(TASK, [id]);

const comments = listCommentsAs(cliCommentView, idByCode, 2);
export const listComments = (tx: Queries, code: string, order: CommentOrder | undefined, page: Page) =>
  comments(tx, partsOfCode(code), order, page);

const COMMENT = `select ${cliCommentView} as json from comments c
  where c.workspace_id = current_workspace() and c.id = $1`;
export const readComment = (tx: Queries, id: string) => tx.one<{ json: string }>(COMMENT, [id]);
