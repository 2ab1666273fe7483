// The statement by which a request is authenticated: credential, state and membership in one indexed query, which also sets on the connection who is
// calling. A surface of its own looks its credentials up in its own way, and everything else is the same.
import { NIL } from "../wire/ids.ts";

/** The credential c with the secret $1, while it is good. */
export const LIVE = `c.secret_hash = $1 and c.revoked_at is null and c.expires_at > now()
  and (c.kind <> 'session' or coalesce(c.last_used_at, c.created_at) > now() - interval '7 days')`;

// $2 the Workspace the request names, $3 how far the operation reaches (see Access), $4 whether what is set holds for the
// transaction only. Always one row, so that the connection never keeps who used it before.
// With a key ($5 the operation, $6 its hash) what it was kept with comes along. It is joined to what was set, so that row-level
// security already compares with the caller.
// `standing` joins the credential as c and as m what its holder is in the Workspace of the request.
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
  set_config('svc.workspace', case when m.id is null then '${NIL}' else m.workspace_id::text end, $4::boolean) as workspace,
  set_config('svc.projects', case when cardinality(c.project_ids) > 0 then c.project_ids::text else '' end, $4::boolean) as projects,
  (set_config('svc.actor', case when m.id is null then '' else m.actor_id::text end, $4::boolean)
    || set_config('svc.role', case when m.id is null then '' else m.role end, $4::boolean)
    || set_config('svc.account', case when c.user_id is null then '' else c.user_id::text end, $4::boolean)
    || set_config('svc.credential', case when c.id is null then '' else c.id::text end, $4::boolean)) is null as known) caller
${
  keyed
    ? `left join idempotency_keys k on k.workspace_id = caller.workspace::uuid
  and k.principal_id = case when m.id is null then c.user_id else m.actor_id end and k.operation = $5 and k.key_hash = $6`
    : ""
}`;
/** Without a key and with one. */
export interface Lookup {
  plain: string;
  keyed: string;
}
/** How a credential is looked up. `more` is what else of it is asked. */
export const lookup = (standing: string, more = ""): Lookup => ({
  plain: principalSql(standing, more, false),
  keyed: principalSql(standing, more, true),
});
/** At the interface. */
export const INTERFACE = lookup(`
left join credentials c on ${LIVE}
left join (memberships m join workspaces w on w.id = m.workspace_id and (w.archived_at is null or $3 = 'own' and m.role = 'owner'))
  on $3 in ('membership', 'named', 'own', 'anywhere') and m.user_id = c.user_id and m.state = 'active'
  and m.workspace_id = case when $3 = 'anywhere' then coalesce(c.workspace_id, $2::uuid) else coalesce($2::uuid, c.workspace_id) end
  and (c.workspace_id is null or c.workspace_id = m.workspace_id or $3 = 'own')`);
