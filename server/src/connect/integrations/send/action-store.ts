// SQL of actions at providers: queued, claimed by one worker at a time, and ended.
import { IntegrationAction } from "@svc/contract/connect/integrations/actions.ts";
import { type InProject, inProject, projectOfCaller, projectVisible } from "../../../planning/projects/access.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { checked } from "../../../platform/database/sql.ts";
import { view } from "../../../platform/database/view.ts";
import type { ActionEffect, Resource } from "../client/provider.ts";
import type { InstallationState } from "../rules.ts";

const actionView = view(IntegrationAction, "a");

export interface ActionInstallation {
  id: string;
  provider_key: string;
  state: InstallationState;
  declared: unknown;
  /** Whether the resource belongs to the installation and is still listed. */
  has_resource: boolean;
}
const PLACE = `
select i.id, i.provider_key, i.state, i.declared, exists (
  select from integration_resources r
  where r.workspace_id = i.workspace_id and r.id = $2 and r.installation_id = i.id and r.listed) as has_resource
from integration_installations i where i.workspace_id = current_workspace() and i.id = $1 and i.removed_at is null`;
export const readPlace = (tx: Queries, installationId: string, resourceId: string) =>
  tx.maybe<ActionInstallation>(PLACE, [installationId, resourceId]);

const DECLARED = "select declared from integration_installations where workspace_id = current_workspace() and id = $1";
export const readDeclared = async (tx: Queries, id: string) =>
  (await tx.one<{ declared: unknown }>(DECLARED, [id])).declared;

const BOUND = `
/* reads up to 100: the Projects that are bound to the resource */
select ${inProject} from (
  select b.workspace_id, b.project_id from integration_bindings b
  where b.workspace_id = current_workspace() and b.resource_id = $1 order by b.id limit 100) b
cross join lateral (select * from projects where workspace_id = b.workspace_id and id = b.project_id
  limit 1) p ${projectOfCaller}
where ${projectVisible}`;
/** Projects bound to the resource that the caller sees. */
export const boundProjects = (tx: Queries, resourceId: string) => tx.rows<InProject>(BOUND, [resourceId]);

export interface NewProviderAction {
  id: string;
  installationId: string;
  resourceId: string;
  action: string;
  sealedInput: string;
  receiptId: string | null;
  requestedBy: string | null;
  cause: string | null;
}
type Row = { json: string; revision: string };
const ADD = `
insert into integration_actions as a (workspace_id, id, installation_id, resource_id, action, sealed_input, receipt_id,
  requested_by_actor_id, cause)
values (current_workspace(), $1, $2, $3, $4, $5, $6, $7, $8)
on conflict on constraint integration_actions_once do nothing
returning ${actionView} as json, a.revision::text`;
/** Undefined if this cause has already queued the action. */
export const addAction = (tx: Queries, made: NewProviderAction) =>
  tx.maybe<Row>(ADD, [
    ...[made.id, made.installationId, made.resourceId, made.action, made.sealedInput],
    ...[made.receiptId, made.requestedBy, made.cause],
  ]);

export interface ProviderActionTarget extends Row {
  id: string;
  own: boolean;
}
const READ = `
select a.id, (a.requested_by_actor_id = current_actor()) is true as own, ${actionView} as json, a.revision::text
from integration_actions a where a.workspace_id = current_workspace() and a.id = $1`;
export const readAction = (tx: Queries, id: string) => tx.maybe<ProviderActionTarget>(READ, [id]);

// ---- for the worker -------------------------------------------------------------------------------------------------

/** Lease of an attempt: one without a result after it has been killed. */
const LEASE_SECONDS = 60;
export interface ClaimedAction {
  installation_id: string;
  action: string;
  sealed_input: string | null;
  cause: string | null;
  /** Number of attempts, including this one. */
  attempts: number;
  /** An earlier attempt may have had its effect. */
  uncertain: boolean;
  declared: unknown;
  resource: Resource;
}
const TAKE = `
with due as (
  select a.workspace_id, a.id, a.state from integration_actions a
  where a.workspace_id = current_workspace() and a.id = $1 and ${checked("a.state in ('queued', 'running')")}
    and a.not_before <= now() for no key update
)
update integration_actions a
  set state = 'running', attempts = a.attempts + 1, not_before = now() + interval '${LEASE_SECONDS} seconds',
    revision = a.revision + 1, updated_at = now()
from due, integration_resources r, integration_installations i
where a.workspace_id = due.workspace_id and a.id = due.id and r.workspace_id = a.workspace_id and r.id = a.resource_id
  and i.workspace_id = a.workspace_id and i.id = a.installation_id
returning a.installation_id, a.action, a.sealed_input, a.cause, a.attempts, due.state = 'running' as uncertain,
  i.declared,
  json_build_object('externalId', r.external_id, 'kind', r.kind, 'name', r.name, 'url', r.url) as resource`;
/** Undefined if the action has ended, is not due, or is claimed by another worker. */
export const takeAction = (tx: Queries, id: string) => tx.maybe<ClaimedAction>(TAKE, [id]);

/** Queues a job for the time when the action can be claimed; none if it has ended. */
const LATER = `
select enqueue_job('perform_integration_action', json_build_object('workspace_id', a.workspace_id, 'id', a.id),
  a.not_before, null, 'perform_integration_action ' || a.id)
from integration_actions a where a.workspace_id = current_workspace() and a.id = $1
  and ${checked("a.state in ('queued', 'running')")}`;
export const performLater = (tx: Queries, id: string) => tx.rows(LATER, [id]);

// Only the last claim may write.
const AS_TAKEN = `a.workspace_id = current_workspace() and a.id = $1 and ${checked("a.state = 'running'")}
  and a.attempts = $2`;
const PUT_OFF = `
update integration_actions a
  set state = $3, error_code = $4, not_before = now() + make_interval(secs => $5), revision = a.revision + 1, updated_at = now()
where ${AS_TAKEN}`;
export const putOff = (
  tx: Queries,
  id: string,
  attempts: number,
  { uncertain, code, seconds }: { uncertain: boolean; code: string; seconds: number },
) =>
  Promise.all([
    tx.rows(PUT_OFF, [id, attempts, uncertain ? "running" : "queued", code, seconds]),
    performLater(tx, id),
  ]);

const END = `
update integration_actions a
  set state = $3, error_code = $4, external_id = $5, url = $6, sealed_input = null, revision = a.revision + 1, updated_at = now()
where ${AS_TAKEN} returning a.id`;
export interface ActionOutcome {
  state: "succeeded" | "failed" | "unknown";
  code: string | null;
  done: ActionEffect | null;
}
/** Undefined if another worker has claimed it meanwhile. */
export const endAction = (tx: Queries, id: string, attempts: number, { state, code, done }: ActionOutcome) =>
  tx.maybe<{ id: string }>(END, [id, attempts, state, code, done?.externalId ?? null, done?.url ?? null]);

// Links our comment to its copy at the provider, so that the provider's delivery of it is not imported.
const SAID = `
insert into integration_comments (workspace_id, installation_id, external_id, comment_id)
select c.workspace_id, $1, $3, c.id from comments c
where c.workspace_id = current_workspace()
  and c.id = (case when $2 like 'comment %' then split_part($2, ' ', 2)::uuid end) on conflict do nothing`;
export const keepSaid = (tx: Queries, installationId: string, cause: string, externalId: string) =>
  tx.rows(SAID, [installationId, cause, externalId]);

const DECLARE =
  "update integration_installations set declared = $2 where workspace_id = current_workspace() and id = $1";
/** Stores the actions that a connector declares, in the commit that connects it. */
export const keepDeclared = (tx: Queries, id: string, declared: object) =>
  tx.rows(DECLARE, [id, JSON.stringify(declared)]);
