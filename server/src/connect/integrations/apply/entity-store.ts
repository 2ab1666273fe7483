// SQL of rich entities at Tasks: an older state never replaces a newer one, and an equal one changes nothing.
import { RichEntity } from "@svc/contract/connect/integrations/rich-entities.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { view } from "../../../platform/database/view.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import { NIL, newId } from "../../../platform/wire/ids.ts";
import type { Entity } from "../client/provider.ts";

const LIST = `
select ${view(RichEntity, "r", { url: "nullif(r.url, '')" })} as json, json_build_array(r.id)::text as key
from rich_entities r where r.workspace_id = current_workspace() and r.task_id = $1 and r.id > $2::uuid order by r.id
limit $3`;
export const listEntities = (
  tx: Queries,
  taskId: string,
  { after, limit }: { after: readonly unknown[] | null; limit: number },
) => tx.rows<ListRow>(LIST, [taskId, after?.[0] ?? NIL, limit + 1]);

const MOST_ENTITIES = 500;
const KEEP = `
/* reads up to ${MOST_ENTITIES}: no Task has more */
insert into rich_entities as r (workspace_id, id, task_id, installation_id, resource_id, provider_key, kind,
  external_id, title, url, state, checks, author_name, changed_at)
select current_workspace(), $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5, $6, $7, $8, $9, $10, $11, $12, $13::timestamptz
where exists (
    select from rich_entities o
    where o.workspace_id = current_workspace() and o.task_id = $2 and o.installation_id = $3 and o.kind = $6
      and o.external_id = $7)
  or (select count(*) from (select from rich_entities o where o.workspace_id = current_workspace() and o.task_id = $2
    limit ${MOST_ENTITIES}) o) < ${MOST_ENTITIES}
on conflict on constraint rich_entities_once do update set
  title = excluded.title, url = excluded.url, state = excluded.state,
    checks = case when excluded.checks is null then r.checks else excluded.checks end,
  author_name = excluded.author_name, changed_at = excluded.changed_at, revision = r.revision + 1, updated_at = now()
where excluded.changed_at >= r.changed_at
  and (excluded.title, excluded.url, excluded.state, excluded.author_name) is distinct from (r.title, r.url, r.state,
  r.author_name)
  or excluded.changed_at >= r.changed_at and excluded.checks is distinct from r.checks and excluded.checks is not null
returning r.id, r.revision = 1 as made`;

export interface EntitySource {
  installationId: string;
  resourceId: string | null;
  providerKey: string;
}
interface KeptEntity {
  id: string;
  made: boolean;
}
/** Undefined if nothing has changed. */
export const keepEntity = (tx: Queries, taskId: string, from: EntitySource, entity: Entity) => {
  const { kind, externalId, title, url, state, checks = null, authorName = null, changedAt } = entity;
  const source = [from.installationId, from.resourceId, from.providerKey];
  const shown = [title, url, state, checks, authorName, changedAt];
  return tx.maybe<KeptEntity>(KEEP, [newId(), taskId, ...source, kind, externalId, ...shown]);
};

const CHECKS = `
update rich_entities r set checks = $4, revision = r.revision + 1, updated_at = now() from tasks t
where r.workspace_id = current_workspace() and r.installation_id = $1 and r.kind = $2 and r.external_id = $3
  and r.checks is distinct from $4
  and t.workspace_id = r.workspace_id and t.id = r.task_id and t.project_id = any($5::uuid[])
returning r.id, r.task_id, t.project_id`;
export const keepChecks = (
  tx: Queries,
  installationId: string,
  { kind, externalId }: Pick<Entity, "kind" | "externalId">,
  checks: string,
  projectIds: readonly string[],
) =>
  tx.rows<{ id: string; task_id: string; project_id: string }>(CHECKS, [
    ...[installationId, kind, externalId, checks, projectIds],
  ]);

export interface AtTask {
  id: string;
  project_id: string;
}
const AT_TASKS = `
select t.id, t.project_id from rich_entities r join tasks t on t.workspace_id = r.workspace_id and t.id = r.task_id
where r.workspace_id = current_workspace() and r.installation_id = $1 and r.kind = $2 and r.external_id = $3
  and t.trashed_at is null and t.project_id = any($4::uuid[])
order by t.id limit 100`;
/** Tasks of these Projects that show the entity. */
export const tasksWith = (
  tx: Queries,
  installationId: string,
  { kind, externalId }: Pick<Entity, "kind" | "externalId">,
  projectIds: readonly string[],
) => tx.rows<AtTask>(AT_TASKS, [installationId, kind, externalId, projectIds]);

// The code that a Task had before it was moved still finds it.
const BY_CODES = `
select distinct t.id, t.project_id from unnest($1::text[], $2::bigint[]) c(key, number)
join projects k on k.workspace_id = current_workspace() and k.key = c.key
cross join lateral (
  select n.id from tasks n where n.workspace_id = k.workspace_id and n.project_id = k.id and n.number = c.number
  union all select o.task_id from task_codes o
  where o.workspace_id = k.workspace_id and o.project_id = k.id and o.number = c.number) f
join tasks t on t.workspace_id = k.workspace_id and t.id = f.id and t.trashed_at is null
  and t.project_id = any($3::uuid[])
order by t.id`;
/** Tasks of these Projects with these codes. */
export const tasksNamed = (
  tx: Queries,
  codes: readonly { key: string; number: string }[],
  projectIds: readonly string[],
) => tx.rows<AtTask>(BY_CODES, [codes.map(({ key }) => key), codes.map(({ number }) => number), projectIds]);
