// SQL of resources. A resource that the provider no longer lists stays for its bindings, and is not listed.
import type { Queries } from "../../../platform/database/db.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import { NIL, newId } from "../../../platform/wire/ids.ts";
import type { Resource } from "../client/provider.ts";
import { resourceView } from "../view.ts";

const LIST = `
select ${resourceView} as json, json_build_array(lower(r.name), r.id)::text as key from integration_resources r
where r.workspace_id = current_workspace() and r.installation_id = $1 and r.listed and (lower(r.name), r.id) > ($2, $3)
order by lower(r.name), r.id limit $4`;
export const listResources = (
  tx: Queries,
  installationId: string,
  { after, limit }: { after: readonly unknown[] | null; limit: number },
) => tx.rows<ListRow>(LIST, [installationId, after?.[0] ?? "", after?.[1] ?? NIL, limit + 1]);

const KEEP = `
/* reads up to 2000: all of the installation */
with found as (
  select * from jsonb_to_recordset($2::jsonb) as f(id uuid, "externalId" text, kind text, name text, url text)
), gone as (
  update integration_resources r set listed = false, revision = revision + 1, updated_at = now()
  where $3 <> 'more' and r.workspace_id = current_workspace() and r.installation_id = $1 and r.listed
    and not exists (select from found f where f."externalId" = r.external_id)
)
insert into integration_resources as r (workspace_id, id, installation_id, external_id, kind, name, url)
select current_workspace(), f.id, $1, f."externalId", f.kind, f.name, f.url from found f
where $3 <> 'known' or exists (
  select from integration_resources o
  where o.workspace_id = current_workspace() and o.installation_id = $1 and o.external_id = f."externalId")
on conflict (workspace_id, installation_id, external_id) do update
set listed = true, kind = excluded.kind, name = excluded.name, url = excluded.url, revision = r.revision + 1,
  updated_at = now()
where (r.listed, r.kind, r.name, r.url) is distinct from (true, excluded.kind, excluded.name, excluded.url)`;
const REFRESHED =
  "update integration_installations set refreshed_at = now() where workspace_id = current_workspace() and id = $1";
/** all: replaces the listed ones. more: adds to them. known: updates those that are already listed. */
export type ListingMode = "all" | "more" | "known";
/** Stores the resources that the provider lists now. */
export async function keepResources(
  tx: Queries,
  installationId: string,
  resources: readonly Resource[],
  listed: ListingMode = "all",
) {
  const once = new Map(resources.map((each) => [each.externalId, { ...each, id: newId() }]));
  await Promise.all([
    tx.rows(KEEP, [installationId, JSON.stringify([...once.values()]), listed]),
    tx.rows(REFRESHED, [installationId]),
  ]);
}

const REFRESH = `
select enqueue_job('refresh_integration',
  json_build_object('workspace_id', current_workspace(), 'installation_id', $1::uuid), now(),
  'integrations', 'refresh_integration ' || $1::uuid)`;
/** Queues a refresh; several requests before it starts are one job. */
export const refreshLater = (tx: Queries, installationId: string) => tx.rows(REFRESH, [installationId]);

const HOOKED = `
/* reads up to 2000: all of the installation */
select external_id as "externalId", kind, name, url, hook_external_id from integration_resources
where workspace_id = current_workspace() and installation_id = $1 and hook_external_id is not null`;
/** Resources whose webhook was registered at the provider. */
export const hookedResources = (tx: Queries, installationId: string) =>
  tx.rows<Resource & { hook_external_id: string }>(HOOKED, [installationId]);
