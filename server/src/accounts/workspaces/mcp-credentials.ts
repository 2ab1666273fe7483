// MCP service credentials of a Workspace, valid only at /mcp. Only the response that creates one contains the secret;
// the database stores its hash. Each acts as its own service Actor, which outlives revocation.
import * as contract from "@svc/contract/accounts/workspaces/mcp-credentials.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { extended, render } from "../../platform/kernel/view.ts";
import { LAST_ID, newId, newSecret, sha256 } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { lockAccount } from "../account/store.ts";
import { mcpServiceCredential, workspace } from "./access.ts";
import { mcpServiceCredentialCreated, mcpServiceCredentialRevoked } from "./events.ts";
import { requireProjects } from "./store.ts";
import { mcpServiceCredentialView } from "./view.ts";

const MOST_LIVE = 100;

const LIST = `
select ${mcpServiceCredentialView} as json, json_build_array(c.id)::text as key from credentials c
where c.workspace_id = current_workspace() and c.kind = 'service' and c.revoked_at is null and c.expires_at > now()
  and c.id < $1
order by c.id desc limit $2`;

export const listMcpServiceCredentials = implementList(
  contract.listMcpServiceCredentials,
  workspace("workspace:manage"),
  (tx, { page }) => tx.rows(LIST, [page.after?.[0] ?? LAST_ID, page.limit + 1]),
);

// A separate statement locks the Workspace row first, so that the count sees every credential created before.
const LOCK = "select from workspaces where id = $1 for no key update";
// $6 is the expiry in milliseconds, because a caller may send dates that PostgreSQL's calendar does not support.
const CREATE = `
with lifetime as (
  select coalesce(to_timestamp($6::float8 / 1000), now() + interval '365 days') as expires_at
), live as (
  select count(*) < ${MOST_LIVE} as room from credentials
  where workspace_id = $1 and kind = 'service' and revoked_at is null and expires_at > now()
), checked as (
  select expires_at, room, expires_at > now() and expires_at <= now() + interval '366 days' as in_range
  from lifetime, live
), a as (
  insert into actors (workspace_id, id, kind, name) select $1, $2, 'service', $4 from checked where room and in_range
  returning id
), c as (
  insert into credentials (id, kind, secret_hash, workspace_id, actor_id, made_by_user_id, name, scopes, project_ids,
    last_four, expires_at)
  select $3, 'service', $5, $1, a.id, current_account(), $4, $7, $8, $9, checked.expires_at from checked, a returning *
)
select checked.in_range, (select ${mcpServiceCredentialView} from c) as json,
  (select c.revision::text from c) as revision from checked`;
interface Created {
  in_range: boolean;
  json: string | null;
  revision: string;
}

export const createMcpServiceCredential = implement(
  contract.createMcpServiceCredential,
  workspace("workspace:manage"),
  async ({ tx, principal, member, record }, { body }) => {
    const { name, scopes, project_ids = [] } = body;
    const expiry = body.expires_at === undefined ? null : Date.parse(body.expires_at);
    if (Number.isNaN(expiry)) return refuseExpiry();
    const { workspaceId } = member;
    const [actorId, id, token] = [newId(), newId(), newSecret("msk")];
    const values = [workspaceId, actorId, id, name, sha256(token), expiry, scopes, project_ids, token.slice(-4)];
    const [, , , row] = await Promise.all([
      lockAccount(tx, principal.userId),
      requireProjects(tx, project_ids, "project_ids"),
      tx.rows(LOCK, [workspaceId]),
      tx.one<Created>(CREATE, values),
    ]);
    if (!row.in_range) return refuseExpiry();
    if (row.json === null) return refuse("limit_reached");
    record(
      mcpServiceCredentialCreated(
        { kind: "mcp_service_credential", id },
        { actor_id: actorId, name, scopes, project_ids },
      ),
    );
    return extended(render({ json: row.json, revision: row.revision }, ["mcp_credential:revoke"]), { token });
  },
);

function refuseExpiry(): never {
  const detail = "must be in the future and at most 366 days away";
  return refuseAt("/body/expires_at", "invalid_expiry", detail);
}

const REVOKE = "update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1 where id = $1";

export const revokeMcpServiceCredential = implement(
  contract.revokeMcpServiceCredential,
  mcpServiceCredential(),
  async ({ tx, defer, record }, { target }) => {
    if (!target.live) return;
    defer(tx.rows(REVOKE, [target.id]));
    record(mcpServiceCredentialRevoked({ kind: "mcp_service_credential", id: target.id }));
  },
);
