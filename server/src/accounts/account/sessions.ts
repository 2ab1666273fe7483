// Browser sessions of the account: list and revoke. A revoked session fails from its next request on.
import * as contract from "@svc/contract/accounts/account/sessions.ts";
import { account, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { LAST_ID } from "../../platform/wire/ids.ts";
import { ownSession } from "./access.ts";
import { otherSessionsRevoked, sessionRevoked } from "./events.ts";
import { sessionView } from "./view.ts";

const LIST = `
select ${sessionView} as json, json_build_array(s.id)::text as key
from credentials s
where s.user_id = current_account() and s.kind = 'session' and s.revoked_at is null and s.expires_at > now()
  and coalesce(s.last_used_at, s.created_at) > now() - interval '7 days' and s.id < $1
order by s.id desc limit $2`;

export const listSessions = implementList(contract.listSessions, account(), (tx, { page }) =>
  tx.rows(LIST, [page.after?.[0] ?? LAST_ID, page.limit + 1]),
);

const REVOKE = "update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1";
const REVOKE_OTHERS = `${REVOKE} where user_id = $1 and kind = 'session' and revoked_at is null and id <> $2`;

export const deleteOtherSessions = implement(
  contract.deleteOtherSessions,
  account(),
  async ({ tx, principal, record, defer }) => {
    const { userId, credentialId } = principal;
    defer(tx.rows(REVOKE_OTHERS, [userId, credentialId]));
    record(otherSessionsRevoked({ kind: "account", id: userId }, { kept_session_id: credentialId }));
  },
);

export const deleteSession = implement(
  contract.deleteSession,
  ownSession(),
  async ({ tx, principal, cookies, record, defer }, { target }) => {
    if (!target.live) return;
    defer(tx.rows(`${REVOKE} where id = $1`, [target.id]));
    record(sessionRevoked({ kind: "account", id: principal.userId }, { session_id: target.id }));
    if (target.current) cookies.clear();
  },
);
