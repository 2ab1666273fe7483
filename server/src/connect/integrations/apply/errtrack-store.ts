// SQL of the requests of an error tracker: the caller, its Projects, and the Task of an error. A Project is visible to
// the tracker while it is bound to the tracker's project with an enabled subscription to errors.
import type { Queries } from "../../../platform/database/db.ts";
import { newId } from "../../../platform/wire/ids.ts";

/** An installation as a request names it, before any Workspace is known. */
export interface Asking {
  workspace_id: string;
  id: string;
  actor_id: string;
  sealed_secret: string | null;
  /** Slug of the Workspace. */
  slug: string;
}
/** Installations that the request may mean; the signature decides. */
export const askingAs = (tx: Queries, named: string) =>
  tx.rows<Asking>("select * from integration_asked('errtrack', $1)", [named]);

const SUBSCRIBED = `exists (
  select from integration_subscriptions s
  where s.workspace_id = b.workspace_id and s.binding_id = b.id and s.enabled and 'error' = any(s.event_kinds))`;

export interface ErrtrackBinding {
  id: string;
  project_id: string;
  resource_id: string;
  key: string;
  name: string;
  archived: boolean;
}
const BOUND = `
/* reads up to 5000: the bindings of the installation */
select b.id, b.project_id, b.resource_id, p.key, p.name, p.archived_at is not null as archived
from integration_bindings b
join integration_resources r on r.workspace_id = b.workspace_id and r.id = b.resource_id
join projects p on p.workspace_id = b.workspace_id and p.id = b.project_id and p.deleted_at is null
where b.workspace_id = current_workspace() and b.installation_id = $1
  and ($2::text is null or r.external_id = $2 or ($3 and r.name = $2)) and ${SUBSCRIBED}
order by b.id limit 100`;
/** Bindings by the id of the tracker's project; null: all. */
export const boundTo = (tx: Queries, installationId: string, project: string | null) =>
  tx.rows<ErrtrackBinding>(BOUND, [installationId, project, false]);
/** Bindings by the id of the tracker's project, or its slug. */
export const boundToNamed = (tx: Queries, installationId: string, slug: string | null) =>
  tx.rows<ErrtrackBinding>(BOUND, [installationId, slug, true]);

export interface TaskOf {
  id: string;
  project_id: string;
  number: string;
  key: string;
}
const STANDING = `
select t.id, t.project_id, t.number::text, p.key, t.trashed_at is not null as trashed from rich_entities e
join tasks t on t.workspace_id = e.workspace_id and t.id = e.task_id
join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id and p.deleted_at is null
where e.workspace_id = current_workspace() and e.installation_id = $1 and e.kind = 'error' and e.external_id = $2
order by trashed, t.id limit 100`;
/** The Tasks that have this error, those in the trash last. */
export const tasksOfError = (tx: Queries, installationId: string, issue: string) =>
  tx.rows<TaskOf & { trashed: boolean }>(STANDING, [installationId, issue]);

const LINKABLE = `
select t.id, t.project_id, t.number::text, p.key, p.archived_at is not null as archived, b.resource_id from tasks t
join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id and p.deleted_at is null
cross join lateral (select id from integration_resources
  where workspace_id = t.workspace_id and installation_id = $2 and external_id = $3 limit 1) r
cross join lateral (select * from integration_bindings
  where workspace_id = t.workspace_id and project_id = t.project_id and resource_id = r.id limit 1) b
where t.workspace_id = current_workspace() and t.id = $1 and t.trashed_at is null and ${SUBSCRIBED} for share of p`;
/** Task of a Project that is bound to the tracker's project. Locks the Project against archiving. */
export const linkable = (tx: Queries, taskId: string, installationId: string, project: string) =>
  tx.maybe<TaskOf & { archived: boolean; resource_id: string }>(LINKABLE, [taskId, installationId, project]);

const TAKEN = `select from integration_deliveries
    where workspace_id = current_workspace() and installation_id = $1 and delivery_key = $2`;
/** Whether this request was answered before. */
export const wasTaken = async (tx: Queries, installationId: string, key: string) =>
  (await tx.maybe(TAKEN, [installationId, key])) !== undefined;
const TAKE = `
insert into integration_deliveries (workspace_id, id, installation_id, delivery_key, lane, kind, state, worked_at)
values (current_workspace(), $1, $2, $3, $4, $5, 'done', now())
on conflict on constraint integration_deliveries_once do nothing`;
/** Stores the request as a delivery that is already done. */
export const take = (tx: Queries, installationId: string, key: string, project: string, kind: string) =>
  tx.rows(TAKE, [newId(), installationId, key, project, kind]);

export interface BindingFacts {
  installation_id: string;
  state: string;
  has_secret: boolean;
  listed: boolean;
  subscribed: boolean;
  /** Arrival of its last webhook; requests are not counted. */
  last_delivery_at: string | null;
}
const FACTS = `
/* reads up to 120: the newest that came in, of which some were requests */
select i.id as installation_id, i.state, i.sealed_secret is not null as has_secret, r.listed,
  ${SUBSCRIBED} as subscribed, (
  select wire_time(max(d.received_at)) from (
    select d.kind, d.received_at from integration_deliveries d
    where d.workspace_id = b.workspace_id and d.installation_id = b.installation_id
    order by d.number desc limit 100) d where d.kind not in ('issues/create', 'issues/link')) as last_delivery_at
from integration_bindings b
join integration_installations i on i.workspace_id = b.workspace_id and i.id = b.installation_id
join integration_resources r on r.workspace_id = b.workspace_id and r.id = b.resource_id
where b.workspace_id = current_workspace() and b.id = $1`;
/** Facts that decide on the readiness of a binding. */
export const factsOf = (tx: Queries, bindingId: string) => tx.one<BindingFacts>(FACTS, [bindingId]);
