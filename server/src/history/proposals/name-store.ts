// SQL of the display names of the resources in a ChangeSet, as far as the caller sees them.

import { documentVisible, projectOfDocument } from "../../knowledge/documents/access.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";

const inProject = (table: string, name: string, where = "") => `
select x.id, ${name} as name from ${table} x
join projects p on p.workspace_id = x.workspace_id and p.id = x.project_id ${projectOfCaller}
where x.workspace_id = current_workspace() and x.id = any($1::uuid[]) and ${projectVisible} ${where}`;
const inWorkspace = (table: string) =>
  `select x.id, x.name from ${table} x where x.workspace_id = current_workspace() and x.id = any($1::uuid[])`;
const NAMES = [
  inProject("tasks", "p.key || '-' || x.number || ' ' || x.title"),
  inProject("milestones", "x.name", "and x.deleted_at is null"),
  `select p.id, p.name from projects p ${projectOfCaller}
    where p.workspace_id = current_workspace() and p.id = any($1::uuid[]) and ${projectVisible}`,
  `select d.id, d.title from documents d ${projectOfDocument}
    where d.workspace_id = current_workspace() and d.id = any($1::uuid[]) and ${documentVisible}`,
  `select a.id, coalesce(u.display_name, a.name) from actors a left join users u on u.id = a.user_id
    where a.workspace_id = current_workspace() and a.id = any($1::uuid[])`,
  inWorkspace("statuses"),
  inWorkspace("label_definitions"),
  inWorkspace("lifecycle_stages"),
].join("\nunion all ");

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** All ids in a value. */
const idsIn = (value: unknown): string[] => [...new Set(JSON.stringify(value).match(ID) ?? [])];

const MOST_NAMES = 2_000;
export async function namesIn(tx: Queries, value: unknown): Promise<Record<string, string>> {
  const rows = await tx.rows<{ id: string; name: string }>(NAMES, [idsIn(value).slice(0, MOST_NAMES)]);
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
}
