// Access rules of account resources: the account row, its tokens and sessions, and the memberships that open a
// Workspace.
import type { Access } from "../../platform/kernel/implement-operation.ts";

/** Active memberships of Workspaces that are not archived. */
export const openMemberships = `
memberships m join workspaces w on w.id = m.workspace_id and w.archived_at is null and m.state = 'active'`;

export interface TokenTarget {
  id: string;
  live: boolean;
}
const LOAD = `
select t.id, t.revoked_at is null as live from credentials t
where t.id = $1 and t.user_id = current_account() and t.kind = 'personal' for no key update`;

/** One of the caller's own tokens, revoked or not: revoking is idempotent. */
export const apiToken = (): Access<TokenTarget> => ({
  reach: "account",
  load: (tx, params) => tx.maybe<TokenTarget>(LOAD, [params.token_id]),
  permits: () => true,
});

const LOAD_GRANT = `
select g.id, g.revoked_at is null as live from oauth_grants g
where g.id = $1 and g.user_id = current_account() and g.family = $2 for no key update`;

/** One of the caller's own native application grants, revoked or not. */
export const mobileCredential = (): Access<TokenTarget> => ({
  reach: "account",
  load: (tx, params) => tx.maybe<TokenTarget>(LOAD_GRANT, [params.credential_id, "native"]),
  permits: () => true,
});

/** One of the caller's own grants to a client of this family, revoked or not. */
export const clientGrant = (family: "developer" | "mcp"): Access<TokenTarget> => ({
  reach: "account",
  load: (tx, params) => tx.maybe<TokenTarget>(LOAD_GRANT, [params.grant_id, family]),
  permits: () => true,
});

export interface AccountTarget {
  email: string;
  revision: string;
  display_name: string;
  username: string;
  timezone: string;
  locale: string;
  week_start: string;
}
const OWN = `
select u.email, u.revision::text, u.display_name, u.username, u.timezone, u.locale, u.week_start from users u
where u.id = current_account() for no key update`;
/** The caller's own account, locked for an update. */
export const ownAccount = (): Access<AccountTarget> => ({
  reach: "account",
  load: (tx) => tx.maybe<AccountTarget>(OWN),
  permits: () => true,
});

export interface SessionTarget {
  id: string;
  live: boolean;
  current: boolean;
}
const SESSION = `
select s.id, s.revoked_at is null as live, s.id = current_credential() as current from credentials s
where s.id = $1 and s.user_id = current_account() and s.kind = 'session' for no key update`;
/** One of the caller's own sessions, ended or not: ending is idempotent. */
export const ownSession = (): Access<SessionTarget> => ({
  reach: "account",
  load: (tx, params) => tx.maybe<SessionTarget>(SESSION, [params.session_id]),
  permits: () => true,
});

export interface PreferenceTarget {
  /** "0" until the caller saves a preference. */
  revision: string;
  updated_at: string | null;
}
/** Serializes writers of one Actor's preferences on the Actor row, because the preference row may not exist yet. */
export const QUEUE =
  "select from actors where workspace_id = current_workspace() and id = current_actor() for no key update";

/**
 * The caller's own preference row in a Workspace (`table` as r), or none. Every role may read and write it; nobody else
 * can. `parameter` names both the column and the path parameter that select one of several rows.
 */
export function ownPreference<Row>(table: string, columns: string, parameter?: string): Access<Row & PreferenceTarget> {
  const sql = `
select ${columns}, coalesce(r.revision, 0)::text as revision, wire_time(r.updated_at) as updated_at
from (select) one left join ${table} r on r.workspace_id = current_workspace() and r.actor_id = current_actor()
  ${parameter ? `and r.${parameter} = $1` : ""}`;
  return {
    reach: "membership",
    load: async (tx, params, change) => {
      const queued = change ? tx.rows(QUEUE) : null;
      const values = parameter ? [params[parameter]] : [];
      const [, row] = await Promise.all([queued, tx.one<Row & PreferenceTarget>(sql, values)]);
      return row;
    },
    permits: () => true,
  };
}
