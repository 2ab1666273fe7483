-- When the journal was last read for the endpoints of a Workspace: a restored journal is read again from shortly before. Decision 0214.
alter table webhook_positions add column moved_at timestamptz not null default now();
update webhook_positions set epoch = regexp_replace(epoch, '\.[0-9A-F]{8}$', '');

-- Workspaces of these, or of all, whose endpoints have something to read; held: an older transaction must end first.
create function webhook_backlog(workspaces uuid[]) returns table (workspace_id uuid, held boolean)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.workspace_id, p.epoch = journal_epoch() and f.tx >= pg_snapshot_xmin(pg_current_snapshot())
  from webhook_positions p left join lateral (
    select e.tx from domain_events e where e.workspace_id = p.workspace_id and (e.tx, e.id) > (p.tx, p.event_id) order by e.tx, e.id limit 1) f on true
  where (workspaces is null or p.workspace_id = any(workspaces)) and (f.tx is not null or p.epoch <> journal_epoch())
    and exists (select from webhook_endpoints w where w.workspace_id = p.workspace_id and w.enabled and w.deleted_at is null)
$$;

-- Continues in a journal that was restored: from an hour before the last read, because transaction numbers of the old one mean nothing here. What was
-- queued is not queued again. Numbers above all of this database came from another one: recent events get a number of their own, older ones are before the journal.
create function resume_webhooks() returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  here uuid := current_workspace();
  since timestamptz := (select p.moved_at - interval '1 hour' from webhook_positions p where p.workspace_id = here);
  first record;
begin
  update domain_events e set tx = case when e.occurred_at >= since then pg_current_xact_id() end
    where e.workspace_id = here and e.tx >= pg_snapshot_xmax(pg_current_snapshot());
  delete from private_changes c where c.workspace_id = here and c.tx >= pg_snapshot_xmax(pg_current_snapshot());
  select e.tx, e.id into first from domain_events e where e.workspace_id = here and e.tx is not null and e.occurred_at >= since order by e.tx, e.id limit 1;
  update webhook_positions p set epoch = journal_epoch(), moved_at = now(), tx = coalesce(first.tx, pg_snapshot_xmin(pg_current_snapshot())),
    event_id = coalesce((select e.id from domain_events e where e.workspace_id = here and e.tx = first.tx and e.id < first.id order by e.id desc limit 1),
      '00000000-0000-0000-0000-000000000000')
    where p.workspace_id = here;
end $$;
revoke all on function webhook_backlog, resume_webhooks from public;
grant execute on function webhook_backlog, resume_webhooks to svc_app;
