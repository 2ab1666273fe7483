// Projects: list, create, read, change, delete. A deleted Project stays as a row that reserves its key.
import * as contract from "@svc/contract/planning/projects/projects.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { differing } from "../../platform/database/sql.ts";
import { type Context, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId, newPublicId } from "../../platform/wire/ids.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { type ChangedProject, changedProject, project, projectCapabilities, SHARE_LIFECYCLE } from "./access.ts";
import { changeProject, dropProject, unpublish } from "./change.ts";
import { projectCreated } from "./events.ts";
import * as store from "./store.ts";
import { projectView } from "./view.ts";

type Row = { json: string; revision: string };

export const listProjects = implementList(contract.listProjects, workspace("work:read"), (tx, { query, page }) =>
  store.listProjects(tx, query, page.after, page.limit + 1),
);

// The creator becomes the lead, and the counter of Task numbers is created. The Project is sorted last, in the given
// state or else the Workspace's default. Returns no row if the given state cannot be used.
const CREATE = `
with p as (
  insert into projects (workspace_id, id, key, name, description_markdown, visibility, icon, color, start_date,
    target_date, created_by_actor_id,
    state_id, position)
  select $1, $2, $3, $4, $5,
    coalesce($6, (select default_project_visibility from workspace_settings where workspace_id = $1), 'workspace'), $7,
    $8, $9, $10, $11,
    coalesce($12, (select default_state_id from lifecycle_definitions where workspace_id = $1 and kind = 'project')),
    coalesce((select position from projects where workspace_id = $1 and deleted_at is null
      order by position desc, id desc limit 1), 0) + 1024
  where $12::uuid is null or exists (${store.usableState("$12")})
  returning *
), lead as (insert into project_members (workspace_id, project_id, actor_id, role) select workspace_id, id, $11, 'lead'
  from p
), counter as (insert into task_counters (workspace_id, project_id) select workspace_id, id from p)
select ${projectView} as json, p.revision::text from p`;

export const createProject = implement(contract.createProject, workspace("work:write"), async (context, { body }) => {
  const { tx, member, record } = context;
  const id = newId();
  const values = [
    member.workspaceId,
    id,
    body.key.toUpperCase(),
    body.name,
    body.description_markdown ?? "",
    body.visibility ?? null,
    body.icon ?? null,
    body.color ?? null,
    body.start_date ?? null,
    body.target_date ?? null,
    member.actorId,
    body.state_id ?? null,
  ];
  const [, row] = await Promise.all([tx.rows(SHARE_LIFECYCLE), tx.maybe<Row>(CREATE, values)]);
  if (!row) return refuseState();
  record(projectCreated({ kind: "project", id, projectId: id }, { name: body.name }));
  return render(row, projectCapabilities(context, { project_role: "lead", project_archived: false }));
});

const refuseState = (): never => refuseAt("/body/state_id", "invalid_reference", "must be a state that is in use here");

export const getProject = implement(contract.getProject, project("work:read"), async (context, { target }) =>
  render(target, projectCapabilities(context, target)),
);

export const updateProject = implement(
  contract.updateProject,
  changedProject("work:manage"),
  async (context, { target, body }) => {
    const { archived, published, ...fields } = body;
    const wanted = { ...fields, ...archival(context, target, archived), ...publication(context, target, body) };
    const before = JSON.parse(target.json);
    const changed = differing(wanted, before);
    if (changed === null) return render(target, projectCapabilities(context, target));
    const row = await changeProject(context, target, before, changed);
    if (!row) return refuseState();
    const after = { ...target, project_archived: archived ?? target.project_archived };
    return render(row, projectCapabilities(context, after));
  },
);

const archival = ({ principal }: Context, { archived_at }: ChangedProject, archived: boolean | undefined) =>
  archived === undefined ? {} : { archived_at: archived ? (archived_at ?? principal.now) : null };

const PUBLISH = "insert into publications (public_id, workspace_id, kind, resource_id) values ($1, $2, 'project', $3)";
interface Publishing {
  published?: boolean;
  visibility?: "workspace" | "private";
}
/** The public id after the change. A published Project keeps its id, so that a repeated call breaks no link. */
function publication(context: Context, target: ChangedProject, body: Publishing): { public_id: string | null } {
  const isPrivate = (body.visibility ?? target.visibility) === "private";
  if (body.published && isPrivate)
    return refuseAt("/body/published", "project_private", "must not be true for a private Project");
  if (body.published && target.public_id === null) {
    const { tx, member, defer } = context;
    const publicId = newPublicId();
    defer(tx.rows(PUBLISH, [publicId, member.workspaceId, target.id]));
    return { public_id: publicId };
  }
  if (target.public_id === null || (body.published !== false && !isPrivate)) return { public_id: target.public_id };
  unpublish(context, target.id);
  return { public_id: null };
}

export const deleteProject = implement(
  contract.deleteProject,
  changedProject("work:manage"),
  async (context, { target }) => dropProject(context, target),
);
