alter table webhook_endpoints add column lease_process integer; -- processes.id of the lease's holder

-- Leases endpoints that have something due to a process: at most so many, of a Workspace at most so many at a time in all processes, the ones that waited longest first. Release 0.11
-- still calls claim_webhook_endpoints, which names no process: drop it one release later.
create function lease_webhook_endpoints(most integer, most_of_workspace integer, holder uuid, process integer, seconds integer)
returns table (workspace_id uuid, id uuid) language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtext('webhook endpoints'));
  return query
  with due as (
    select e.workspace_id, e.id, e.served_at, row_number() over (partition by e.workspace_id order by e.served_at nulls first, e.id) + (
      select count(*) from webhook_endpoints l where l.workspace_id = e.workspace_id and l.lease_until >= now()) as place
    from webhook_endpoints e where e.enabled and e.due_at <= now() and e.deleted_at is null and (e.lease_until is null or e.lease_until < now())
  ), chosen as (
    select * from due where place <= most_of_workspace order by served_at nulls first, id limit most
  )
  update webhook_endpoints e set lease_id = holder, lease_process = process, lease_until = clock_timestamp() + make_interval(secs => seconds), served_at = clock_timestamp()
  from chosen c where e.workspace_id = c.workspace_id and e.id = c.id returning e.workspace_id, e.id;
end $$;
revoke all on function lease_webhook_endpoints from public;
grant execute on function lease_webhook_endpoints to svc_app;
