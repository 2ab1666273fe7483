// Statuses: the Workspace-wide ones and those that apply to a Project, in workflow order.
import * as contract from "@svc/contract/projects/statuses.ts";
import { NIL, newId } from "../kernel/ids.ts";
import { implement, implementList } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import { workspace } from "../workspaces/access.ts";
import { capabilitiesOf } from "../workspaces/rules.ts";
import { insideProject } from "./access.ts";
import { statusCreated } from "./events.ts";
import { statusView } from "./view.ts";

type Row = { json: string; revision: string };

/** A definition holds at most 500 Statuses. */
const MOST = 500;

const page = (scope: string) => `
(select s.* from statuses s
where s.workspace_id = current_workspace() and ${scope} and s.archived_at is null and (s.category_rank, s.position, s.id) > ($1, $2, $3)
order by s.category_rank, s.position, s.id limit $4)`;
const list = (pages: string) => `
select ${statusView} as json, json_build_array(s.category_rank, s.position, s.id)::text as key
from (${pages}) s order by s.category_rank, s.position, s.id limit $4`;
const LIST_WORKSPACE = list(page("s.project_id is null"));
/** Two short pages of the same index are merged: other Projects' Statuses are never looked at. */
const LIST_PROJECT = list(`${page("s.project_id is null")} union all ${page("s.project_id = $5")}`);

type Page = { after: readonly unknown[] | null; limit: number };
const from = ({ after, limit }: Page) => [after?.[0] ?? 0, after?.[1] ?? 0, after?.[2] ?? NIL, limit + 1];

export const listWorkspaceStatuses = implementList(
  contract.listWorkspaceStatuses,
  workspace("work:read"),
  (tx, { page }) => tx.rows(LIST_WORKSPACE, from(page)),
);

export const listProjectStatuses = implementList(
  contract.listProjectStatuses,
  insideProject("work:read"),
  (tx, { params, page }) => tx.rows(LIST_PROJECT, [...from(page), params.project_id]),
);

// Creators of Statuses queue behind each other, or two of them would both see room for the last one.
const QUEUE = "select from workspaces where id = $1 for no key update";
// Workflow order is category, then position: a new Status stands behind the last one of its category.
const CREATE = `
with place as (
  select count(*) as total, coalesce(max(position), 0) + 1024 as position from statuses
  where workspace_id = $1 and project_id is null and archived_at is null
), s as (
  insert into statuses (workspace_id, id, name, category, color, position)
  select $1, $2, $3, $4, $5, place.position from place where place.total < ${MOST} returning *
)
select ${statusView} as json, s.revision::text from s`;

export const createWorkspaceStatus = implement(
  contract.createWorkspaceStatus,
  workspace("workspace:manage"),
  async (context, { body }) => {
    const { tx, member, record } = context;
    const id = newId();
    const [, row] = await Promise.all([
      tx.rows(QUEUE, [member.workspaceId]),
      tx.maybe<Row>(CREATE, [member.workspaceId, id, body.name, body.category, body.color ?? null]),
    ]);
    if (!row) return refuse("limit_reached");
    record(statusCreated({ kind: "status", id }));
    return render(row, capabilitiesOf[member.role]);
  },
);
