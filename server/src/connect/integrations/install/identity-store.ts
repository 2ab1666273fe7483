// SQL of identities of people at providers. An identity belongs to an account and to no Workspace.
import type { Queries } from "../../../platform/database/db.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import { LAST_ID, newId } from "../../../platform/wire/ids.ts";
import type { Party } from "../client/provider.ts";
import { identityView } from "../view.ts";

const LIST = `
select ${identityView} as json, json_build_array(n.id)::text as key from integration_identities n
where n.user_id = current_account() and n.id < $1 order by n.id desc limit $2`;
export const listIdentities = (tx: Queries, { after, limit }: { after: readonly unknown[] | null; limit: number }) =>
  tx.rows<ListRow>(LIST, [after?.[0] ?? LAST_ID, limit + 1]);

const LOAD = "select id, provider_key from integration_identities where id = $1 and user_id = current_account()";
export const ownIdentity = (tx: Queries, id: string) => tx.maybe<{ id: string; provider_key: string }>(LOAD, [id]);
export const deleteIdentity = (tx: Queries, id: string) =>
  tx.rows("delete from integration_identities where id = $1", [id]);

export interface Linking {
  userId: string;
  providerKey: string;
  baseUrl: string;
  person: Party;
}
const REPLACE =
  "delete from integration_identities where user_id = $1 and provider_key = $2 and base_url = $3 and external_id <> $4";
const LINK = `
insert into integration_identities as n (id, user_id, provider_key, base_url, external_id, name)
values ($1, $2, $3, $4, $5, $6)
on conflict (provider_key, base_url, external_id) do update set name = excluded.name where n.user_id = excluded.user_id
returning n.id`;
/** Replaces the account's identity at that provider. Undefined if another account has this one. */
export async function linkIdentity(tx: Queries, { userId, providerKey, baseUrl, person }: Linking) {
  const whose = [userId, providerKey, baseUrl, person.externalId];
  const [, linked] = await Promise.all([
    tx.rows(REPLACE, whose),
    tx.maybe<{ id: string }>(LINK, [newId(), ...whose, person.name]),
  ]);
  return linked;
}
const KEEP = `
insert into integration_identities (id, user_id, provider_key, base_url, external_id, name)
values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`;
/** Links only if the account has no identity there, and no other account has this one. */
export const keepIdentity = (tx: Queries, { userId, providerKey, baseUrl, person }: Linking) =>
  tx.maybe<{ id: string }>(KEEP, [newId(), userId, providerKey, baseUrl, person.externalId, person.name]);
