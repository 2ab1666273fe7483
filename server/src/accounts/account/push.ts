// Push endpoints of an account. Anyone who knows an address (a push service's URL, or a device token) can push to it,
// so the address is stored sealed and found by its hash. It belongs to the account that registered it last: a shared
// browser or device never shows notifications of an account that has signed out.
import * as contract from "@svc/contract/accounts/account/push.ts";
import type { Queries } from "../../platform/database/db.ts";
import {
  account,
  type EffectsContext,
  implement,
  implementWithEffects,
} from "../../platform/kernel/implement-operation.ts";
import type { ExternalSystems } from "../../platform/outside/external-systems.ts";
import { newId, sha256 } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { pushEndpointRegistered, pushEndpointRemoved } from "./events.ts";
import { pushEndpointFaults } from "./rules.ts";

const MOST_ENDPOINTS = 20;

export const getBrowserPushConfig = implementWithEffects(
  contract.getBrowserPushConfig,
  account(),
  async ({ outside }) => ({ public_key: outside.push.publicKey }),
);

export const replaceBrowserPushEndpoint = implementWithEffects(
  contract.replaceBrowserPushEndpoint,
  account(),
  async (context, { body }) => {
    const faults = pushEndpointFaults(body);
    if (faults.length > 0) return refuse("invalid_request", { errors: faults });
    const { endpoint, keys } = body;
    const subscription = { endpoint, ...keys, publicKey: context.outside.push.publicKey };
    return register(context, "browser", endpoint, JSON.stringify(subscription));
  },
);

export const replacePushDevice = implementWithEffects(
  contract.replacePushDevice,
  account(),
  async (context, { body: { platform, token } }) =>
    register(context, platform, `${platform} ${token}`, JSON.stringify({ token })),
);

// Separate statements, in the order in which sessions and grants are revoked: first the account, so that the count
// includes every endpoint registered before; then its grant and credential, so that a concurrent revocation either
// comes later or prevents the registration.
const LOCK_ACCOUNT = "select from users where id = $1 for no key update";
const HOLD_GRANT = `
select from oauth_grants g where g.id = (select c.grant_id from credentials c where c.id = $1) for share`;
const HOLD_CREDENTIAL = "select from credentials where id = $1 for share";
// Deletes the endpoint that this session or grant registered earlier under another address.
const FORGET = `
delete from push_endpoints e using credentials c
where c.id = $1 and e.address_hash <> $2 and (e.credential_id = c.id or e.grant_id = c.grant_id)`;
// An endpoint gets a new id when another account takes over its address, because messages to the former account may
// still be queued under the old id.
const REGISTER = `
with holder as (
  select case when c.kind = 'session' then c.id end as credential_id, c.grant_id from credentials c
  where c.id = $1 and c.revoked_at is null
), room as (
  select count(*) < ${MOST_ENDPOINTS} as left from push_endpoints e left join credentials c on c.id = e.credential_id
  where e.user_id = $3 and e.address_hash <> $2 and (c.id is null or c.expires_at > now())
), registered as (
  insert into push_endpoints (id, user_id, credential_id, grant_id, kind, address_hash, sealed)
  select $4, $3, holder.credential_id, holder.grant_id, $5, $2, $6 from holder, room where room.left
  on conflict (address_hash) do update set
    id = case when push_endpoints.user_id = excluded.user_id then push_endpoints.id else excluded.id end,
    user_id = excluded.user_id, credential_id = excluded.credential_id, grant_id = excluded.grant_id,
    kind = excluded.kind,
    sealed = excluded.sealed, updated_at = now()
  returning id
)
select exists (select from holder) as live, (select id from registered) as id`;

async function register(context: EffectsContext, kind: string, address: string, secret: string): Promise<void> {
  const { principal, outside } = context;
  if (!principal) return refuse("authentication_required");
  const { credentialId, userId } = principal;
  const hash = sha256(address);
  const sealed = outside.secrets.seal(secret, hash.toString("hex"));
  await context.finish(async ({ tx, record, enqueue }) => {
    const id = newId();
    const [, , , , row] = await Promise.all([
      tx.rows(LOCK_ACCOUNT, [userId]),
      tx.rows(HOLD_GRANT, [credentialId]),
      tx.rows(HOLD_CREDENTIAL, [credentialId]),
      tx.rows(FORGET, [credentialId, hash]),
      tx.one<{ live: boolean; id: string | null }>(REGISTER, [credentialId, hash, userId, id, kind, sealed]),
    ]);
    if (!row.live) return refuse(principal.kind === "session" ? "authentication_required" : "invalid_token");
    if (row.id === null) return refuse("limit_reached");
    record(pushEndpointRegistered({ kind: "push_endpoint", id: row.id }, { kind }));
    if (kind === "browser" && row.id === id) enqueue("send_push", welcome(outside, id));
  });
}

/** A push to one browser. The message is sealed, because the job queue must not contain readable text. */
function welcome({ secrets }: ExternalSystems, endpointId: string) {
  const id = newId();
  const message = { id, title: "Notifications are on", body: "This browser shows them from now on.", path: "/" };
  return { id, endpoint_id: endpointId, sealed: secrets.seal(JSON.stringify(message), id) };
}

const REMOVE = `
delete from push_endpoints e using credentials c
where c.id = $1 and (e.credential_id = c.id or e.grant_id = c.grant_id) returning e.id`;

async function remove(tx: Queries, credentialId: string) {
  const removed = await tx.rows<{ id: string }>(REMOVE, [credentialId]);
  return removed.map(({ id }) => pushEndpointRemoved({ kind: "push_endpoint", id }));
}

export const deleteBrowserPushEndpoint = implement(
  contract.deleteBrowserPushEndpoint,
  account(),
  async ({ tx, principal, record }) => {
    for (const fact of await remove(tx, principal.credentialId)) record(fact);
  },
);

export const deletePushDevice = implement(contract.deletePushDevice, account(), async ({ tx, principal, record }) => {
  for (const fact of await remove(tx, principal.credentialId)) record(fact);
});
