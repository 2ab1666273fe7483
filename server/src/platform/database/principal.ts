// The statement that authenticates a request: credential, state and membership in one indexed query, which also stores
// the caller in settings of the connection. Other surfaces provide their own credential lookup; the rest is the same.
import { NIL } from "../wire/ids.ts";

/** Matches the credential c with the secret hash $1 if it is valid. */
export const LIVE = `c.secret_hash = $1 and c.revoked_at is null and c.expires_at > now()
  and (c.kind <> 'session' or coalesce(c.last_used_at, c.created_at) > now() - interval '7 days')`;

// Parameters: $2 is the Workspace that the request names, $3 the operation's access (see Access), $4 whether the
// settings hold for the transaction only. Always returns one row, so that the connection never retains an earlier
// caller. With an idempotency key ($5 the operation, $6 the key's hash) it also returns the stored response. That join
// depends on the settings, so that row-level security already applies to the new caller. `standing` joins the
// credential as c and, as m, its holder's membership in the Workspace of the request.
const principalSql = (standing: string, more: string, keyed: boolean) => `
select c.id, coalesce(c.grant_id, c.id) as holder_id, c.kind, c.user_id, c.workspace_id, c.scopes,
  c.authenticated_at > now() - interval '15 minutes' as recent,
  coalesce(c.last_used_at, c.created_at) < now() - interval '5 minutes' as idle, now()::text as now,
  c.id is null and exists (select from credentials e where e.secret_hash = $1) as ended,
  m.workspace_id as member_workspace_id, m.id as membership_id, m.actor_id, m.role, caller.known, caller.projects${more}
  ${keyed ? ", k.fingerprint, k.status, k.etag, k.body, k.command_id" : ""}
from (select) request
${standing}
cross join lateral (select
  set_config('svc.workspace', case when m.id is null then '${NIL}' else m.workspace_id::text end,
    $4::boolean) as workspace,
  set_config('svc.projects', case when cardinality(c.project_ids) > 0 then c.project_ids::text else '' end,
    $4::boolean) as projects,
  (set_config('svc.actor', case when m.id is null then '' else m.actor_id::text end, $4::boolean)
    || set_config('svc.role', case when m.id is null then '' else m.role end, $4::boolean)
    || set_config('svc.account', case when c.user_id is null then '' else c.user_id::text end, $4::boolean)
    || set_config('svc.credential', case when c.id is null then '' else c.id::text end,
      $4::boolean)) is null as known) caller
${
  keyed
    ? `left join idempotency_keys k on k.workspace_id = caller.workspace::uuid
  and k.principal_id = case when m.id is null then c.user_id else m.actor_id end and k.operation = $5
  and k.key_hash = $6`
    : ""
}`;
/** The statement without and with an idempotency key. */
export interface Lookup {
  plain: string;
  keyed: string;
}
/** Builds the statement for a credential lookup. `more` adds columns. */
export const lookup = (standing: string, more = ""): Lookup => ({
  plain: principalSql(standing, more, false),
  keyed: principalSql(standing, more, true),
});
/** Credential lookup of the interface. */
export const INTERFACE = lookup(`
left join credentials c on ${LIVE}
left join (memberships m
  join workspaces w on w.id = m.workspace_id and (w.archived_at is null or $3 = 'own' and m.role = 'owner'))
  on $3 in ('membership', 'named', 'own', 'anywhere') and m.user_id = c.user_id and m.state = 'active'
  and m.workspace_id = case when $3 = 'anywhere' then coalesce(c.workspace_id, $2::uuid)
    else coalesce($2::uuid, c.workspace_id) end
  and (c.workspace_id is null or c.workspace_id = m.workspace_id or $3 = 'own')`);
