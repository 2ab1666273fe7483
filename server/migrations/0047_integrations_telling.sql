-- How providers come to be told what happens here. Decision 0188.

-- What happened since in Projects that are bound to something that wants to know. What is said of it is decided by who reads it; the same event read twice is said once.
create function integration_events(kinds text[], most integer, inout after timestamptz, inout settled timestamptz, out events jsonb, out more boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  since timestamptz := events_since('integrations');
  latest timestamptz;
begin
  if after is null then
    -- Nothing is said of what happened before anything was connected.
    after := greatest(since, now() - interval '1 day');
    settled := events_settled();
  end if;
  select coalesce(jsonb_agg(to_jsonb(t) order by t.occurred_at, t.id), '[]'), max(t.occurred_at) into events, latest from (
    select e.workspace_id, e.id, e.type, e.actor_id, e.source, e.project_id, e.task_id, e.resource_id, e.occurred_at from domain_events e
    where e.occurred_at >= after and e.type = any(kinds) and e.actor_id is not null and e.task_id is not null and exists (
      select from integration_bindings b join integration_subscriptions s on s.workspace_id = b.workspace_id and s.binding_id = b.id and s.enabled
      where b.workspace_id = e.workspace_id and b.project_id = e.project_id and b.created_at <= e.occurred_at)
    order by e.occurred_at, e.id limit most) t;
  more := jsonb_array_length(events) = most and latest > after;
  if more then after := latest; else perform events_read('integrations', settled); end if;
end $$;
revoke all on function integration_events from public;
grant execute on function integration_events to svc_app;
