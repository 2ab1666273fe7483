// Native applications that are signed in to the account. Each is one grant whose tokens rotate every 15 minutes and
// expire with it. A revocation locks the grant rows first, so that no token is issued concurrently.
import * as contract from "@svc/contract/accounts/account/mobile-credentials.ts";
import type { Queries } from "../../platform/database/db.ts";
import { account, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { LAST_ID } from "../../platform/wire/ids.ts";
import { mobileCredential } from "./access.ts";
import { mobileCredentialRevoked } from "./events.ts";
import { mobileCredentialView } from "./view.ts";

// Issuing tokens counts as use of a grant. Tokens can be refreshed for 60 days. A grant without tokens is not listed:
// the application has not signed in yet.
const LIST = `
select ${mobileCredentialView} as json, json_build_array(g.id)::text as key from oauth_grants g
where g.user_id = current_account() and g.family = 'native' and g.revoked_at is null
  and g.last_used_at > now() - interval '60 days' and g.id < $1
order by g.id desc limit $2`;

export const listMobileCredentials = implementList(contract.listMobileCredentials, account(), (tx, { page }) =>
  tx.rows(LIST, [page.after?.[0] ?? LAST_ID, page.limit + 1]),
);

const REVOKE_GRANTS = `
update oauth_grants set revoked_at = now(), updated_at = now(), revision = revision + 1
where user_id = $1 and family = 'native' and revoked_at is null and ($2::uuid is null or id = $2) returning id`;
// A separate statement, so that it sees tokens that were issued while the first one waited for its locks.
const REVOKE_TOKENS = `
update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1
where user_id = $1 and kind = 'native' and revoked_at is null and ($2::uuid is null or grant_id = $2)`;

async function revoke(tx: Queries, userId: string, grantId: string | null) {
  const [grants] = await Promise.all([
    tx.rows<{ id: string }>(REVOKE_GRANTS, [userId, grantId]),
    tx.rows(REVOKE_TOKENS, [userId, grantId]),
  ]);
  return grants.map(({ id }) => mobileCredentialRevoked({ kind: "mobile_credential", id }));
}

export const deleteMobileCredentials = implement(
  contract.deleteMobileCredentials,
  account(),
  async ({ tx, principal, record }) => {
    for (const fact of await revoke(tx, principal.userId, null)) record(fact);
  },
);

export const deleteMobileCredential = implement(
  contract.deleteMobileCredential,
  mobileCredential(),
  async ({ tx, principal, record }, { target }) => {
    if (!target.live) return;
    for (const fact of await revoke(tx, principal.userId, target.id)) record(fact);
  },
);
