// SQL of outbound notifications: the resources that subscribe to an event of a Project, and the facts of the message.
// The transaction is in one Workspace.
import type { FollowerPosition } from "../../../platform/background/jobs.ts";
import type { Queries } from "../../../platform/database/db.ts";
import type { Entity, Resource } from "../client/provider.ts";

/** Columns of an event that notifications need. */
export interface Event {
  id: string;
  workspace_id: string;
  type: string;
  actor_id: string;
  source: string | null;
  project_id: string;
  task_id: string;
  resource_id: string;
}
const TAKE = "select after::text, settled::text, events, more from integration_events($1, $2, $3, $4)";
export const takeEvents = (tx: Queries, kinds: readonly string[], most: number, { after, settled }: FollowerPosition) =>
  tx.one<FollowerPosition & { events: Event[]; more: boolean }>(TAKE, [kinds, most, after, settled]);

/** A resource that is bound to a Project, with its subscriptions. */
export interface SubscribedResource {
  project_id: string;
  installation_id: string;
  resource_id: string;
  provider_key: string;
  /** Actor id of the installation. */
  actor_id: string;
  rules: { sync_comments?: boolean; resolve_with_task?: boolean };
  /** Kinds of its enabled subscriptions. */
  kinds: string[];
}
const LISTENING = `
/* reads up to 5000: the bindings of these Projects */
select b.project_id, b.installation_id, b.resource_id, i.provider_key, i.actor_id, b.rules, array(
  select distinct unnest(s.event_kinds) from integration_subscriptions s
  where s.workspace_id = b.workspace_id and s.binding_id = b.id and s.enabled) as kinds
from integration_bindings b join integration_installations i on i.workspace_id = b.workspace_id
  and i.id = b.installation_id
join integration_resources r on r.workspace_id = b.workspace_id and r.id = b.resource_id
join projects p on p.workspace_id = b.workspace_id and p.id = b.project_id
where b.workspace_id = current_workspace() and b.project_id = any($1::uuid[]) and i.removed_at is null
  and i.state <> 'revoked' and r.listed
  and p.deleted_at is null and exists (
    select from integration_subscriptions s where s.workspace_id = b.workspace_id and s.binding_id = b.id and s.enabled)
order by b.id`;
export const listening = (tx: Queries, projectIds: readonly string[]) =>
  tx.rows<SubscribedResource>(LISTENING, [projectIds]);

/** Facts of a Task for a notification. */
export interface NotifiedTask {
  id: string;
  project_id: string;
  code: string;
  title: string;
  description: string;
  /** Name of its Status. */
  status: string;
  completed: boolean;
  slug: string;
}
const TASKS = `
select t.id, t.project_id, p.key || '-' || t.number as code, t.title, t.description_markdown as description,
  s.name as status, s.category = 'completed' as completed, w.slug
from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id
join statuses s on s.workspace_id = t.workspace_id and s.id = t.status_id
join workspaces w on w.id = t.workspace_id
where t.workspace_id = current_workspace() and t.id = any($1::uuid[]) and t.trashed_at is null`;
/** Tasks in their present Project: one that has left a Project is not reported in its name. */
export const tasksTold = (tx: Queries, ids: readonly string[]) => tx.rows<NotifiedTask>(TASKS, [ids]);

const COMMENTS = `
select c.id, c.markdown from comments c
where c.workspace_id = current_workspace() and c.id = any($1::uuid[]) and c.deleted_at is null`;
export const commentsTold = (tx: Queries, ids: readonly string[]) =>
  tx.rows<{ id: string; markdown: string }>(COMMENTS, [ids]);

const NAMES = `
select a.id, coalesce(a.name, u.display_name, '') as name from actors a left join users u on u.id = a.user_id
where a.workspace_id = current_workspace() and a.id = any($1::uuid[])`;
export const namesOf = async (tx: Queries, ids: readonly string[]) =>
  new Map((await tx.rows<{ id: string; name: string }>(NAMES, [ids])).map(({ id, name }) => [id, name]));

export interface At extends Pick<Entity, "kind" | "externalId" | "url"> {
  id: string;
  task_id: string;
  installation_id: string;
  resource_id: string;
}
const ENTITIES = `
/* reads up to 5000: the entities that are linked to these Tasks */
select e.id, e.task_id, e.installation_id, e.resource_id, e.kind, e.external_id as "externalId", e.url
from rich_entities e
where e.workspace_id = current_workspace() and e.task_id = any($1::uuid[]) and e.resource_id is not null order by e.id`;
export const entitiesAt = (tx: Queries, taskIds: readonly string[]) => tx.rows<At>(ENTITIES, [taskIds]);

const LINKED = `
select t.project_id, json_build_object('externalId', r.external_id, 'kind', r.kind, 'name', r.name,
  'url', r.url) as resource
from tasks t join integration_bindings b on b.workspace_id = t.workspace_id and b.project_id = t.project_id
  and b.resource_id = $2
join integration_resources r on r.workspace_id = b.workspace_id and r.id = b.resource_id
where t.workspace_id = current_workspace() and t.id = $1 and t.trashed_at is null`;
/** Resource that shows a link of a Task; undefined if the Task's Project is not bound to it any more. */
export const linkedPlace = (tx: Queries, taskId: string, resourceId: string) =>
  tx.maybe<{ project_id: string; resource: Resource }>(LINKED, [taskId, resourceId]);
