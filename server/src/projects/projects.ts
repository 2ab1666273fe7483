// Projects: list, create, read, change, delete. A Project that is gone stays as a row that keeps its key.
import * as contract from "@svc/contract/projects/projects.ts";
import { cachedSql, changes, differing } from "../database/sql.ts";
import { type Context, implement, implementList } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { newId, newPublicId } from "../wire/ids.ts";
import { refuseAt } from "../wire/problem.ts";
import { workspace } from "../workspaces/access.ts";
import { type ChangedProject, changedProject, project, projectCapabilities, SHARE_LIFECYCLE } from "./access.ts";
import { projectConfigured, projectCreated, projectDeleted, projectUpdated } from "./events.ts";
import { turned } from "./rules.ts";
import * as store from "./store.ts";
import { projectView } from "./view.ts";

type Row = { json: string; revision: string };

export const listProjects = implementList(contract.listProjects, workspace("work:read"), (tx, { query, page }) =>
  store.listProjects(tx, query, page.after, page.limit + 1),
);

const usableState = (id: string) =>
  `select id from project_states where workspace_id = $1 and id = ${id} and archived_at is null`;

// The creator leads the Project; the counter of its Task numbers starts with it. It stands behind all others, in the state that the
// Workspace has chosen for new ones unless one is named. No row: that one cannot be used.
const CREATE = `
with p as (
  insert into projects (workspace_id, id, key, name, description_markdown, visibility, icon, color, start_date, target_date, created_by_actor_id,
    state_id, position)
  select $1, $2, $3, $4, $5,
    coalesce($6, (select default_project_visibility from workspace_settings where workspace_id = $1), 'workspace'), $7, $8, $9, $10, $11,
    coalesce($12, (select default_state_id from lifecycle_definitions where workspace_id = $1 and kind = 'project')),
    coalesce((select position from projects where workspace_id = $1 and deleted_at is null order by position desc, id desc limit 1), 0) + 1024
  where $12::uuid is null or exists (${usableState("$12")})
  returning *
), lead as (insert into project_members (workspace_id, project_id, actor_id, role) select workspace_id, id, $11, 'lead' from p
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

/** Configuration appears in no feed. */
const configuration = new Set(["visibility", "icon", "color", "published"]);
/** The public name is told to nobody: once it is taken back, it is gone. */
const toldOf = ({ public_id, ...fields }: Record<string, unknown>) =>
  public_id === undefined ? fields : { ...fields, published: public_id !== null };

/** One fact for the plan and one for the looks, as far as they change. */
function recordChanges({ record }: Context, target: ChangedProject, before: object, changed: object): void {
  const [was, is] = [toldOf({ ...before }), Object.entries(toldOf({ ...changed }))];
  for (const [fact, configures] of [
    [projectUpdated, false],
    [projectConfigured, true],
  ] as const) {
    const own = Object.fromEntries(is.filter(([field]) => configuration.has(field) === configures));
    const subject = { kind: "project", id: target.id, projectId: target.id };
    if (Object.keys(own).length > 0) record(fact(subject, turned(was, own, target.revision)));
  }
}

const updateSql = cachedSql(
  (assignments: string, state: string) => `
update projects p set ${assignments}, revision = revision + 1, updated_at = now() where workspace_id = $1 and id = $2
  ${state && `and exists (${usableState(state)})`}
returning ${projectView} as json, p.revision::text`,
);

export const updateProject = implement(
  contract.updateProject,
  changedProject("work:manage"),
  async (context, { target, body }) => {
    const { tx, member } = context;
    const { archived, published, ...fields } = body;
    const wanted = { ...fields, ...archival(context, target, archived), ...publication(context, target, body) };
    const before = JSON.parse(target.json);
    const changed = differing(wanted, before);
    if (changed === null) return render(target, projectCapabilities(context, target));
    const { assignments, values, fields: columns } = changes(changed, 2);
    const stateAt = columns.indexOf("state_id");
    const sql = updateSql(assignments, stateAt < 0 ? "" : `$${3 + stateAt}`);
    const row = await tx.maybe<Row>(sql, [member.workspaceId, target.id, ...values]);
    if (!row) return refuseState();
    recordChanges(context, target, before, changed);
    const after = { ...target, project_archived: archived ?? target.project_archived };
    return render(row, projectCapabilities(context, after));
  },
);

const archival = ({ principal }: Context, { archived_at }: ChangedProject, archived: boolean | undefined) =>
  archived === undefined ? {} : { archived_at: archived ? (archived_at ?? principal.now) : null };

const PUBLISH = "insert into publications (public_id, workspace_id, kind, resource_id) values ($1, $2, 'project', $3)";
const UNPUBLISH = "delete from publications where workspace_id = $1 and kind = 'project' and resource_id = $2";
const unpublish = ({ tx, member, defer }: Context, projectId: string) =>
  defer(tx.rows(UNPUBLISH, [member.workspaceId, projectId]));

interface Publishing {
  published?: boolean;
  visibility?: "workspace" | "private";
}
/** The public name after the change. What is published already keeps it, so that a repeated call breaks no link. */
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

const DELETE = `
update projects set deleted_at = now(), public_id = null, revision = revision + 1, updated_at = now() where workspace_id = $1 and id = $2`;

export const deleteProject = implement(
  contract.deleteProject,
  changedProject("work:manage"),
  async (context, { target }) => {
    const { tx, member, record, defer } = context;
    defer(tx.rows(DELETE, [member.workspaceId, target.id]));
    unpublish(context, target.id);
    record(projectDeleted({ kind: "project", id: target.id, projectId: target.id }, { key: target.key }));
  },
);
