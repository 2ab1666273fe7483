// SQL of references: resolves a kind and an id to what the caller sees now. A missing, trashed or hidden resource gives
// no row.
//   resolvedReference(kind, id) -> the reference on the wire, as JSON, for another statement
//   resolve(tx, references) -> several, in order
import type { ResolvedReference } from "@svc/contract/assistant/discuss/references.ts";
import type { Static } from "typebox";
import { documentVisible, projectOfDocument } from "../../../knowledge/documents/access.ts";
import { attachmentVisible, placeOfAttachment } from "../../../planning/attachments/access.ts";
import { projectOfCaller, projectVisible } from "../../../planning/projects/access.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { checked } from "../../../platform/database/sql.ts";

export type Resolved = Static<typeof ResolvedReference>;
export type Reference = Pick<Resolved, "kind" | "id">;

const projectOf = (row: string) =>
  `join projects p on p.workspace_id = ${row}.workspace_id and p.id = ${row}.project_id ${projectOfCaller}`;
const pageOfTask = "'tasks/' || p.key || '-' || t.number";
const pageOfProject = "'projects/' || p.key";
const pageOfDocument = "'documents/' || d.id";
// Each lookup is of one row by its key.
const lookup = (kind: string, id: string) => `
  select t.title, ${pageOfTask} as page from tasks t ${projectOf("t")}
  where ${kind} = 'task' and t.workspace_id = current_workspace() and t.id = ${id} and t.trashed_at is null
    and ${projectVisible}
  union all
  select d.title, ${pageOfDocument} from documents d ${projectOfDocument}
  where ${kind} = 'document' and d.workspace_id = current_workspace() and d.id = ${id}
    and ${checked("d.trashed_at is null")} and ${documentVisible}
  union all
  select p.name, ${pageOfProject} from projects p ${projectOfCaller}
  where ${kind} = 'project' and p.workspace_id = current_workspace() and p.id = ${id} and ${projectVisible}
  union all
  select m.name, ${pageOfProject} from milestones m ${projectOf("m")}
  where ${kind} = 'milestone' and m.workspace_id = current_workspace() and m.id = ${id} and m.deleted_at is null
    and ${projectVisible}
  union all
  select plain_excerpt(c.markdown), ${pageOfTask} from comments c
  join tasks t on t.workspace_id = c.workspace_id and t.id = c.task_id ${projectOf("t")}
  where ${kind} = 'comment' and c.workspace_id = current_workspace() and c.id = ${id}
    and ${checked("c.deleted_at is null")} and t.trashed_at is null and ${projectVisible}
  union all
  select a.filename, case when t.id is not null then ${pageOfTask} when d.id is not null then ${pageOfDocument}
    when p.id is not null then ${pageOfProject} end
  from attachments a ${placeOfAttachment}
  where ${kind} = 'attachment' and a.workspace_id = current_workspace() and a.id = ${id} and ${attachmentVisible}
    and t.trashed_at is null and d.trashed_at is null
  limit 1`;

/** `kind` and `id` are columns or parameters. */
export const resolvedReference = (kind: string, id: string) => `(
select json_build_object('kind', ${kind}, 'id', ${id},
  'state', case when x.title is null then 'unavailable' else 'available' end, 'title', x.title,
  'url', '/workspaces/' || w.slug || '/' || x.page)
from workspaces w left join lateral (${lookup(kind, id)}) x on true where w.id = current_workspace())`;

const RESOLVE = `
select ${resolvedReference("r.kind", "r.id")} as item from unnest($1::text[], $2::uuid[])
with ordinality r(kind, id, place) order by r.place`;
export const resolve = async (tx: Queries, references: readonly Reference[]): Promise<Resolved[]> => {
  const rows = await tx.rows<{ item: Resolved }>(RESOLVE, [
    references.map(({ kind }) => kind),
    references.map(({ id }) => id),
  ]);
  return rows.map(({ item }) => item);
};
