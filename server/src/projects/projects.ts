// Projects: list, create, read, change.
import * as contract from "@svc/contract/projects/projects.ts";
import { newId } from "../kernel/ids.ts";
import { implement, implementList } from "../kernel/implement.ts";
import { cachedSql, changes } from "../kernel/sql.ts";
import { render } from "../kernel/view.ts";
import { workspace } from "../workspaces/access.ts";
import { capabilities, project, projectOfCaller, projectVisible } from "./access.ts";
import { projectConfigured, projectCreated, projectUpdated } from "./events.ts";
import { projectView } from "./view.ts";

type Row = { json: string; revision: string };

const LIST = `
select ${projectView} as json, json_build_array(p.key)::text as key
from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and ${projectVisible} and p.key > $1
order by p.key limit $2`;

export const listProjects = implementList(contract.listProjects, workspace("work:read"), (tx, { page }) =>
  tx.rows(LIST, [page.after?.[0] ?? "", page.limit + 1]),
);

// The creator leads the Project; the counter of its Task numbers starts with it.
const CREATE = `
with p as (
  insert into projects (workspace_id, id, key, name, description_markdown, visibility, icon, color, start_date, target_date, created_by_actor_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning *
), lead as (insert into project_members (workspace_id, project_id, actor_id, role) select workspace_id, id, $11, 'lead' from p
), counter as (insert into task_counters (workspace_id, project_id) select workspace_id, id from p)
select ${projectView} as json, p.revision::text from p`;

export const createProject = implement(contract.createProject, workspace("work:write"), async (context, { body }) => {
  const { tx, member, record } = context;
  const id = newId();
  const row = await tx.one<Row>(CREATE, [
    member.workspaceId,
    id,
    body.key.toUpperCase(),
    body.name,
    body.description_markdown ?? "",
    body.visibility ?? "workspace",
    body.icon ?? null,
    body.color ?? null,
    body.start_date ?? null,
    body.target_date ?? null,
    member.actorId,
  ]);
  record(projectCreated({ kind: "project", id, projectId: id }));
  return render(row, capabilities(context, { project_role: "lead" }));
});

export const getProject = implement(contract.getProject, project("work:read"), async (context, { target }) =>
  render(target, capabilities(context, target)),
);

const configuration = new Set(["visibility", "icon", "color"]);

const updateSql = cachedSql(
  (assignments: string) => `
update projects p set ${assignments}, revision = revision + 1, updated_at = now() where workspace_id = $1 and id = $2
returning ${projectView} as json, p.revision::text`,
);

export const updateProject = implement(
  contract.updateProject,
  project("work:manage"),
  async (context, { target, body }) => {
    const { tx, member, record } = context;
    const { assignments, values, fields } = changes(body, 2);
    const row = await tx.one<Row>(updateSql(assignments), [member.workspaceId, target.id, ...values]);
    const fact = fields.every((field) => configuration.has(field)) ? projectConfigured : projectUpdated;
    record(fact({ kind: "project", id: target.id, projectId: target.id }, { fields }));
    return render(row, capabilities(context, target));
  },
);
