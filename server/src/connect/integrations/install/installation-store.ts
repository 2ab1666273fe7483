// SQL of installations. A removed one stays in the table for what it imported, and is not found here.
import type { Queries } from "../../../platform/database/db.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import { LAST_ID } from "../../../platform/wire/ids.ts";
import type { InstallationState } from "../rules.ts";
import { installationView } from "../view.ts";

export interface InstallationTarget {
  id: string;
  provider_key: string;
  state: InstallationState;
  management_url: string | null;
  json: string;
  revision: string;
}
const READ = `
select i.id, i.provider_key, i.state, i.management_url, i.revision::text, ${installationView} as json
from integration_installations i where i.workspace_id = current_workspace() and i.id = $1 and i.removed_at is null`;
export const readInstallation = (tx: Queries, id: string) => tx.maybe<InstallationTarget>(READ, [id]);
export const lockInstallation = (tx: Queries, id: string) =>
  tx.maybe<InstallationTarget>(`${READ} for no key update`, [id]);

const LIST = `
select ${installationView} as json, json_build_array(i.id)::text as key from integration_installations i
where i.workspace_id = current_workspace() and i.removed_at is null and i.id < $1 order by i.id desc limit $2`;
export const listInstallations = (tx: Queries, { after, limit }: { after: readonly unknown[] | null; limit: number }) =>
  tx.rows<ListRow>(LIST, [after?.[0] ?? LAST_ID, limit + 1]);

/** An account at a provider. */
export interface Account {
  providerKey: string;
  baseUrl: string;
  externalId: string;
}
const FIND = `
select i.id from integration_installations i
where i.workspace_id = current_workspace() and i.provider_key = $1 and i.base_url = $2 and i.external_id = $3
  and i.removed_at is null`;
export const findInstallation = (tx: Queries, { providerKey, baseUrl, externalId }: Account) =>
  tx.maybe<{ id: string }>(FIND, [providerKey, baseUrl, externalId]);

const ROOM = `select count(*) < $1 as room
    from (select from integration_installations where workspace_id = current_workspace() and removed_at is null
      limit $1) i`;
export const hasRoom = async (tx: Queries, most: number) => (await tx.one<{ room: boolean }>(ROOM, [most])).room;

export interface NewInstallation extends Account {
  id: string;
  /** Actor of a new installation. */
  actorId: string;
  actorName: string;
  accountName: string;
  managementUrl: string | null;
  sealedCredential: string | null;
  expiresAt: string | null;
  sealedSecret: string | null;
  /** Installation id at the provider, if it signs with a secret of its own. */
  signsAs: string | null;
  installedBy: string;
}
const CREATE = `
with actor as (insert into actors (workspace_id, id, kind, name) values (current_workspace(), $2, 'service', $12))
insert into integration_installations as i (workspace_id, id, actor_id, provider_key, base_url, external_id,
  account_name, management_url, sealed_credential,
  credential_expires_at, sealed_secret, installed_by_actor_id, signs_as, checked_at)
values (current_workspace(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $13, now())
returning ${installationView} as json, i.revision::text`;
/** Gives the account a new credential, whatever the state of the old one; a secret that is not given stays. */
const RECONNECT = `
update integration_installations i
  set account_name = $2, management_url = $3, sealed_credential = $4, credential_expires_at = $5,
  sealed_secret = coalesce($6, i.sealed_secret), installed_by_actor_id = $7, signs_as = $8, state = 'active',
  error_code = null, checked_at = now(), revision = revision + 1, updated_at = now()
where i.workspace_id = current_workspace() and i.id = $1 and i.removed_at is null
returning ${installationView} as json, i.revision::text`;
type Row = { json: string; revision: string };
export const createInstallation = (tx: Queries, made: NewInstallation) =>
  tx.one<Row>(CREATE, [
    ...[made.id, made.actorId, made.providerKey, made.baseUrl, made.externalId, made.accountName, made.managementUrl],
    ...[made.sealedCredential, made.expiresAt, made.sealedSecret, made.installedBy, made.actorName, made.signsAs],
  ]);
export const reconnectInstallation = (tx: Queries, made: NewInstallation) =>
  tx.one<Row>(RECONNECT, [
    ...[made.id, made.accountName, made.managementUrl, made.sealedCredential, made.expiresAt, made.sealedSecret],
    ...[made.installedBy, made.signsAs],
  ]);

interface Changed {
  name?: string;
  baseUrl?: string;
  /** Declared actions. */
  declared?: object;
}
const CHANGE = `
with renamed as (
  update actors a set name = $5 from integration_installations x
  where $5::text is not null and x.workspace_id = current_workspace() and x.id = $1 and a.workspace_id = x.workspace_id
    and a.id = x.actor_id
), titled as (
  update integration_resources r set name = $2, revision = r.revision + 1, updated_at = now()
  where $2::text is not null and r.workspace_id = current_workspace() and r.installation_id = $1 and r.name <> $2
)
update integration_installations i
  set account_name = coalesce($2, i.account_name), base_url = coalesce($3, i.base_url),
    declared = coalesce($4::jsonb, i.declared),
  revision = i.revision + 1, updated_at = now()
where i.workspace_id = current_workspace() and i.id = $1 and i.removed_at is null
returning ${installationView} as json, i.revision::text`;
/** Changes a private connector; its one resource and its Actor have the same name. */
export const changeInstallation = (tx: Queries, id: string, { name, baseUrl, declared }: Changed, actorName: string) =>
  tx.one<Row>(CHANGE, [
    ...[id, name ?? null, baseUrl ?? null, declared ? JSON.stringify(declared) : null],
    name === undefined ? null : actorName,
  ]);

// The job that ends the installation at the provider deletes its credential.
const REMOVE = `
update integration_installations set state = 'revoked', removed_at = now(), revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;
const UNBIND =
  "/* reads up to 5000: all of the installation */ delete from integration_bindings where workspace_id = " +
  "current_workspace() and installation_id = $1";
export const removeInstallation = (tx: Queries, id: string) =>
  Promise.all([tx.rows(UNBIND, [id]), tx.rows(REMOVE, [id])]);
