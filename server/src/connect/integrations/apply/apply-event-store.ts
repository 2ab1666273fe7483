// SQL of provider events: the installation, the bindings of the resource, and the account linked to the person.
import type { Queries } from "../../../platform/database/db.ts";
import type { Resource } from "../client/provider.ts";
import type { ResourceRules } from "../rules.ts";

export interface Installed {
  id: string;
  provider_key: string;
  base_url: string;
  external_id: string;
  account_name: string;
  actor_id: string;
  state: string;
}
const INSTALLED = `
select id, provider_key, base_url, external_id, account_name, actor_id, state from integration_installations
where workspace_id = current_workspace() and id = $1 and removed_at is null`;
export const installedById = (tx: Queries, id: string) => tx.maybe<Installed>(INSTALLED, [id]);

export interface EventBinding {
  id: string;
  project_id: string;
  project_key: string;
  resource_id: string;
  resource: Resource;
  /** Known fault of the resource. */
  error_code: string | null;
  rules: Partial<ResourceRules>;
}
const BOUND = `
select b.id, b.project_id, p.key as project_key, b.resource_id, b.rules, r.error_code,
  json_build_object('externalId', r.external_id, 'kind', r.kind, 'name', r.name, 'url', r.url) as resource
    from integration_resources r
join integration_bindings b on b.workspace_id = r.workspace_id and b.resource_id = r.id
join projects p on p.workspace_id = b.workspace_id and p.id = b.project_id and p.deleted_at is null
where r.workspace_id = current_workspace() and r.installation_id = $1 and r.external_id = $2 and exists (
  select from integration_subscriptions s
  where s.workspace_id = b.workspace_id and s.binding_id = b.id and s.enabled and $3 = any(s.event_kinds))
order by b.id limit 100`;
/** Bindings of a resource that subscribe to this kind of event. */
export const boundTo = (tx: Queries, installationId: string, resource: string, kind: string) =>
  tx.rows<EventBinding>(BOUND, [installationId, resource, kind]);

const LINKED = `
select i.user_id from integration_identities i
join memberships m on m.workspace_id = current_workspace() and m.user_id = i.user_id and m.state = 'active'
where i.provider_key = $1 and i.base_url = $2 and i.external_id = $3`;
/** The member who is linked to somebody at the provider. */
export const linkedTo = (tx: Queries, { provider_key, base_url }: Installed, externalId: string) =>
  tx.maybe<{ user_id: string }>(LINKED, [provider_key, base_url, externalId]);

const STANDS = `
select t.revision::text, t.status_id, s.category from tasks t
join statuses s on s.workspace_id = t.workspace_id and s.id = t.status_id
where t.workspace_id = current_workspace() and t.id = $1 and t.trashed_at is null`;
export const standingOf = (tx: Queries, taskId: string) =>
  tx.maybe<{ revision: string; status_id: string; category: string }>(STANDS, [taskId]);

const KNOWN_COMMENT = `
select from integration_comments
where workspace_id = current_workspace() and installation_id = $1 and external_id = $2`;
export const knowsComment = async (tx: Queries, installationId: string, externalId: string) =>
  (await tx.maybe(KNOWN_COMMENT, [installationId, externalId])) !== undefined;
const KEEP_COMMENT = `
insert into integration_comments (workspace_id, installation_id, external_id, comment_id)
values (current_workspace(), $1, $2, $3) on conflict do nothing`;
export const keepComment = (tx: Queries, installationId: string, externalId: string, commentId: string) =>
  tx.rows(KEEP_COMMENT, [installationId, externalId, commentId]);
