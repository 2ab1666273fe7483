// SQL of Documents on the command line: top-level Documents by title, of all Projects and of none, or of one Project. A
// page scans ranges of an index for them, because most Documents have a parent.

import { documentVisible, projectOfDocument } from "../../knowledge/documents/access.ts";
import { archivedness } from "../../knowledge/documents/view.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { filled, foundIn, type PageBounds } from "../../platform/database/scan-page.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { cliDocumentRowView } from "./view.ts";

const EXAMINED = 800;
const order = `d.title collate "C", d.id`;
const key = `json_build_array(d.title, d.id)::text`;
const listSql = (project: string) => {
  const stretch = `select d.* from documents d
    where d.workspace_id = current_workspace() and ${project}${archivedness("d")} = 0 and d.trashed_at is null
      and (d.title collate "C", d.id) > ($1, $2::uuid)
    order by ${order}`;
  return `
/* reads up to ${4 * EXAMINED}: of so many Documents, and their Projects, those at the top that the caller sees */
with page as (
  select ${cliDocumentRowView} as json, ${key} as key from (${stretch} limit ${EXAMINED}) d ${projectOfDocument}
  where d.parent_id is null and ${documentVisible} order by ${order} limit $3
)
select json, key from page
union all
select null, ${key} from (${stretch} offset ${EXAMINED - 1} limit 1) d where (select count(*) from page) < $3`;
};
const LIST = listSql("");
const LIST_OF_PROJECT = listSql(`d.project_id = (
      select p.id from projects p ${projectOfCaller}
      where p.workspace_id = current_workspace() and p.key = $4 and ${projectVisible}) and `);

export const listDocuments = (tx: Queries, projectKey: string | undefined, page: PageBounds) =>
  filled(page, async ({ after, limit }) => {
    const values = [...(after ?? ["", NIL]), limit + 1];
    const read =
      projectKey === undefined
        ? tx.rows<{ json: string | null; key: string }>(LIST, values)
        : tx.rows<{ json: string | null; key: string }>(LIST_OF_PROJECT, [...values, projectKey]);
    return foundIn(await read, limit);
  });
