-- A backup leaves out where webhooks stand in the journal: whoever restores begins anew.
alter table webhook_positions alter column tx set default pg_current_xact_id();

-- Ends the endpoints that somebody has made, in every Workspace, where it was not the owner of the account who made them. Decision 0072.
create function end_webhooks_of(account uuid) returns void language sql security definer set search_path = public, pg_temp as $$
  update webhook_endpoints w set deleted_at = now(), enabled = false, due_at = null, sealed_secret = '', previous_sealed_secret = null,
    previous_secret_expires_at = null, revision = w.revision + 1, updated_at = now()
  from memberships m where m.user_id = account and w.workspace_id = m.workspace_id and w.created_by_actor_id = m.actor_id and w.deleted_at is null
$$;
revoke all on function end_webhooks_of from public;
grant execute on function end_webhooks_of to svc_app;
