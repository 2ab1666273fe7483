// SQL of bindings and their subscriptions. A binding is visible to those who see its Project, while its installation is
// connected.
import { type InProject, inProject, projectOfCaller, projectVisible } from "../../../planning/projects/access.ts";
import type { Queries } from "../../../platform/database/db.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import { LAST_ID } from "../../../platform/wire/ids.ts";
import type { ResourceRules } from "../rules.ts";
import { bindingView, subscriptionView } from "../view.ts";

type Page = { after: readonly unknown[] | null; limit: number };
type Row = { json: string; revision: string };

const FROM = `
from integration_bindings b
join integration_resources r on r.workspace_id = b.workspace_id and r.id = b.resource_id
join integration_installations i on i.workspace_id = b.workspace_id and i.id = b.installation_id
  and i.removed_at is null`;

export interface BindingTarget extends InProject {
  id: string;
  project_id: string;
  resource_id: string;
  provider_key: string;
  state: string;
  rules: ResourceRules;
  json: string;
  revision: string;
}
const READ = `
select b.id, b.project_id, b.resource_id, i.provider_key, i.state, b.rules, b.revision::text, ${inProject},
  ${bindingView} as json ${FROM}
join projects p on p.workspace_id = b.workspace_id and p.id = b.project_id ${projectOfCaller}
where b.workspace_id = current_workspace() and b.id = $1 and ${projectVisible}`;
export const readBinding = (tx: Queries, id: string) => tx.maybe<BindingTarget>(READ, [id]);
export const lockBinding = (tx: Queries, id: string) => tx.maybe<BindingTarget>(`${READ} for no key update of b`, [id]);

const LIST = `
select ${bindingView} as json, json_build_array(b.id)::text as key ${FROM}
where b.workspace_id = current_workspace() and b.project_id = $1 and b.id < $2 order by b.id desc limit $3`;
export const listBindings = (tx: Queries, projectId: string, { after, limit }: Page) =>
  tx.rows<ListRow>(LIST, [projectId, after?.[0] ?? LAST_ID, limit + 1]);

// Shared lock, so that the installation is not removed meanwhile.
const BINDABLE = `
select i.state, i.provider_key, r.id is not null as listed,
  (select count(*) from (select from integration_bindings b
    where b.workspace_id = current_workspace() and b.project_id = $3 limit $4) b) < $4 as room
from integration_installations i
left join integration_resources r on r.workspace_id = i.workspace_id and r.installation_id = i.id and r.id = $2
  and r.listed
where i.workspace_id = current_workspace() and i.id = $1 and i.removed_at is null for share of i`;
interface Bindable {
  state: string;
  provider_key: string;
  listed: boolean;
  room: boolean;
}
export const findBindable = (
  tx: Queries,
  installationId: string,
  resourceId: string,
  projectId: string,
  most: number,
) => tx.maybe<Bindable>(BINDABLE, [installationId, resourceId, projectId, most]);

const STATUSES = `
select array(select s.id::text from statuses s
  where s.workspace_id = current_workspace() and s.id = any($2::uuid[]) and (s.project_id is null or s.project_id = $1)
  and s.archived_at is null) as ids`;
/** Those of the given Statuses that Tasks of the Project can have. */
export const statusesOf = async (tx: Queries, projectId: string, ids: readonly string[]) =>
  (await tx.one<{ ids: string[] }>(STATUSES, [projectId, ids])).ids;

const CREATE = `
with b as (
  insert into integration_bindings (workspace_id, id, project_id, installation_id, resource_id, rules,
    created_by_actor_id)
  values (current_workspace(), $1, $2, $3, $4, $5, current_actor()) returning *
)
select b.revision::text, ${bindingView} as json from b
join integration_resources r on r.workspace_id = b.workspace_id and r.id = b.resource_id
join integration_installations i on i.workspace_id = b.workspace_id and i.id = b.installation_id`;
export const createBinding = (
  tx: Queries,
  made: { id: string; projectId: string; installationId: string; resourceId: string; rules: ResourceRules },
) => tx.one<Row>(CREATE, [made.id, made.projectId, made.installationId, made.resourceId, JSON.stringify(made.rules)]);

const UPDATE = `
update integration_bindings set rules = $2, revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;
export const updateBinding = (tx: Queries, id: string, rules: ResourceRules) =>
  tx.rows(UPDATE, [id, JSON.stringify(rules)]);
const DELETE = "delete from integration_bindings where workspace_id = current_workspace() and id = $1";
export const deleteBinding = (tx: Queries, id: string) => tx.rows(DELETE, [id]);

export interface SubscriptionTarget extends InProject {
  id: string;
  binding_id: string;
  project_id: string;
  provider_key: string;
  event_kinds: string[];
  enabled: boolean;
  json: string;
  revision: string;
}
const READ_SUBSCRIPTION = `
select s.id, s.binding_id, b.project_id, i.provider_key, s.event_kinds, s.enabled, s.revision::text, ${inProject},
  ${subscriptionView} as json
from integration_subscriptions s
join integration_bindings b on b.workspace_id = s.workspace_id and b.id = s.binding_id
join integration_installations i on i.workspace_id = b.workspace_id and i.id = b.installation_id
  and i.removed_at is null
join projects p on p.workspace_id = b.workspace_id and p.id = b.project_id ${projectOfCaller}
where s.workspace_id = current_workspace() and s.id = $1 and ${projectVisible}`;
export const readSubscription = (tx: Queries, id: string) => tx.maybe<SubscriptionTarget>(READ_SUBSCRIPTION, [id]);
export const lockSubscription = (tx: Queries, id: string) =>
  tx.maybe<SubscriptionTarget>(`${READ_SUBSCRIPTION} for no key update of s`, [id]);

const LIST_SUBSCRIPTIONS = `
select ${subscriptionView} as json, json_build_array(s.id)::text as key from integration_subscriptions s
where s.workspace_id = current_workspace() and s.binding_id = $1 and s.id < $2 order by s.id desc limit $3`;
export const listSubscriptions = (tx: Queries, bindingId: string, { after, limit }: Page) =>
  tx.rows<ListRow>(LIST_SUBSCRIPTIONS, [bindingId, after?.[0] ?? LAST_ID, limit + 1]);

const SUBSCRIPTIONS = `
select count(*)::int as count
from (select from integration_subscriptions where workspace_id = current_workspace() and binding_id = $1 limit $2) s`;
export const countSubscriptions = async (tx: Queries, bindingId: string, most: number) =>
  (await tx.one<{ count: number }>(SUBSCRIPTIONS, [bindingId, most])).count;

const SUBSCRIBE = `
insert into integration_subscriptions as s (workspace_id, id, binding_id, event_kinds, enabled, created_by_actor_id)
values (current_workspace(), $1, $2, $3, $4, current_actor()) returning s.revision::text, ${subscriptionView} as json`;
export const createSubscription = (
  tx: Queries,
  id: string,
  bindingId: string,
  kinds: readonly string[],
  enabled: boolean,
) => tx.one<Row>(SUBSCRIBE, [id, bindingId, kinds, enabled]);
const CHANGE = `
update integration_subscriptions s set event_kinds = $2, enabled = $3, revision = revision + 1, updated_at = now()
where s.workspace_id = current_workspace() and s.id = $1 returning s.revision::text, ${subscriptionView} as json`;
export const updateSubscription = (tx: Queries, id: string, kinds: readonly string[], enabled: boolean) =>
  tx.one<Row>(CHANGE, [id, kinds, enabled]);
