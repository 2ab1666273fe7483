// Personal API tokens. Only the response that creates a token contains it; the database stores its hash. Scopes and the
// owner's role are checked on every use.
import * as contract from "@svc/contract/accounts/account/api-tokens.ts";
import { account, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { extended, render } from "../../platform/kernel/view.ts";
import { LAST_ID, newId, newSecret, sha256 } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { apiToken, openMemberships } from "./access.ts";
import { apiTokenCreated, apiTokenRevoked } from "./events.ts";
import { holdWorkspace, lockAccount } from "./store.ts";
import { apiTokenView } from "./view.ts";

const MOST_LIVE = 50;
const LIST = `
select ${apiTokenView} as json, json_build_array(t.id)::text as key
from credentials t
where t.user_id = current_account() and t.kind = 'personal' and t.revoked_at is null and t.expires_at > now()
  and t.id < $1
order by t.id desc limit $2`;

export const listApiTokens = implementList(contract.listApiTokens, account(), (tx, { page }) =>
  tx.rows(LIST, [page.after?.[0] ?? LAST_ID, page.limit + 1]),
);

// $7 is the expiry in milliseconds, because a caller may send dates that PostgreSQL's calendar does not support.
const CREATE = `
with place as (select m.workspace_id from ${openMemberships} where m.user_id = $1 and m.workspace_id = $2
), lifetime as (
  select coalesce(to_timestamp($7::float8 / 1000), now() + interval '90 days') as expires_at
), live as (
  select count(*) < ${MOST_LIVE} as room from credentials
  where user_id = $1 and kind = 'personal' and revoked_at is null and expires_at > now()
), checked as (
  select (select workspace_id from place) as workspace_id, lifetime.expires_at, live.room,
    lifetime.expires_at > now() and lifetime.expires_at <= now() + interval '366 days' as in_range
  from lifetime, live
), t as (
  insert into credentials (id, kind, secret_hash, user_id, workspace_id, name, scopes, last_four, expires_at)
  select $3, 'personal', $4, $1, workspace_id, $5, $6, $8, expires_at from checked
  where workspace_id is not null and in_range and room returning *
)
select checked.workspace_id, checked.in_range, (select ${apiTokenView} from t) as json,
  (select t.revision::text from t) as revision
from checked`;
interface Created {
  workspace_id: string | null;
  in_range: boolean;
  json: string | null;
  revision: string;
}

export const createApiToken = implement(
  contract.createApiToken,
  account(),
  async ({ tx, principal, record }, { body }) => {
    const [id, token] = [newId(), newSecret("pat")];
    const expiry = body.expires_at === undefined ? null : Date.parse(body.expires_at);
    if (Number.isNaN(expiry)) return refuseExpiry();
    const { userId, workspaceId } = principal;
    const values = [userId, workspaceId, id, sha256(token), body.name, body.scopes, expiry, token.slice(-4)];
    const [, , row] = await Promise.all([
      lockAccount(tx, userId),
      holdWorkspace(tx, workspaceId),
      tx.one<Created>(CREATE, values),
    ]);
    if (row.workspace_id === null) return refuse("workspace_required");
    if (!row.in_range) return refuseExpiry();
    if (row.json === null) return refuse("limit_reached");
    record(apiTokenCreated({ kind: "api_token", id }, { workspace_id: row.workspace_id, scopes: body.scopes }));
    return extended(render({ json: row.json, revision: row.revision }, ["api_token:revoke"]), { token });
  },
);

function refuseExpiry(): never {
  const detail = "must be in the future and at most 366 days away";
  return refuseAt("/body/expires_at", "invalid_expiry", detail);
}

const REVOKE = "update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1 where id = $1";

export const deleteApiToken = implement(contract.deleteApiToken, apiToken(), async ({ tx, record }, { target }) => {
  if (!target.live) return;
  await tx.rows(REVOKE, [target.id]);
  record(apiTokenRevoked({ kind: "api_token", id: target.id }));
});
