-- What deliveries of providers are stored, worked and acted with, where nobody is signed in. Decisions 0184 and 0185.

-- One for each installation that it reaches; what came before is not stored again.
create function integration_receive(workspaces uuid[], installations uuid[], ids uuid[], sent_key text, sent_lane text, sent_kind text, sent bytea) returns bigint
language sql security definer set search_path = public, pg_temp as $$
  with kept as (
    insert into integration_deliveries (workspace_id, id, installation_id, delivery_key, lane, kind, body)
    select t.w, t.d, t.i, sent_key, sent_lane, sent_kind, sent from unnest(workspaces, installations, ids) as t(w, i, d)
    on conflict on constraint integration_deliveries_once do nothing returning 1)
  select count(*) from kept
$$;

-- Lanes in which something waits that nobody is at work on: from one lane to the next in the index, however much waits in each.
create function due_integration_lanes(most integer) returns table (workspace_id uuid, installation_id uuid, lane text)
language sql stable security definer set search_path = public, pg_temp as $$
  with recursive lanes as (
    (select d.workspace_id, d.installation_id, d.lane from integration_deliveries d where d.state = 'waiting'
     order by d.workspace_id, d.installation_id, d.lane limit 1)
    union all
    select n.workspace_id, n.installation_id, n.lane from lanes l cross join lateral (
      select d.workspace_id, d.installation_id, d.lane from integration_deliveries d
      where d.state = 'waiting' and (d.workspace_id, d.installation_id, d.lane) > (l.workspace_id, l.installation_id, l.lane)
      order by d.workspace_id, d.installation_id, d.lane limit 1) n
  )
  select l.workspace_id, l.installation_id, l.lane from lanes l cross join lateral (
    select d.leased_until from integration_deliveries d
    where d.workspace_id = l.workspace_id and d.installation_id = l.installation_id and d.lane = l.lane and d.state = 'waiting'
    order by d.tx, d.number limit 1) first
  where first.leased_until is null or first.leased_until < now() limit most
$$;

-- As whom a delivery acts, asked at every call of an operation: as the person who is linked, with what they may now, or else as the installation's own Actor. Both are narrowed to
-- the Projects that are bound to the resource; of a person only to those that they see.
create function integration_caller(workspace uuid, installation uuid, resource uuid, person uuid)
returns table (id uuid, workspace_id uuid, actor_id uuid, user_id uuid, role text, project_ids uuid[], scopes text[], account_name text)
language sql stable security definer set search_path = public, pg_temp as $$
  select i.id, i.workspace_id, case when m.id is null then i.actor_id else m.actor_id end, m.user_id, case when m.id is null then 'member' else m.role end,
    case when cardinality(p.ids) > 0 then p.ids else array['00000000-0000-0000-0000-000000000000'::uuid] end, array['svc:read', 'svc:write'], i.account_name
  from integration_installations i
  join workspaces w on w.id = i.workspace_id and w.archived_at is null
  left join memberships m on m.workspace_id = i.workspace_id and m.user_id = person and m.state = 'active'
  cross join lateral (select array(
    select p.id from integration_bindings b
    join projects p on p.workspace_id = b.workspace_id and p.id = b.project_id and p.deleted_at is null
    left join project_members pm on pm.workspace_id = p.workspace_id and pm.project_id = p.id and pm.actor_id = m.actor_id
    where b.workspace_id = i.workspace_id and b.resource_id = resource
      and (m.id is null or p.visibility = 'workspace' or m.role in ('owner', 'admin') or pm.actor_id is not null)
    order by b.id limit 100) as ids) p
  where i.workspace_id = workspace and i.id = installation and i.removed_at is null and i.state <> 'revoked' and (person is null or m.id is not null)
$$;

-- As before, and what integrations did starts no Agent either: what an Agent did may come back from there.
create or replace function agent_events(kinds text[], most integer, inout after timestamptz, inout settled timestamptz, out events jsonb, out more boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  since timestamptz := events_since('agents');
  latest timestamptz;
begin
  if after is null then
    after := greatest(since, now() - interval '1 day');
    settled := events_settled();
  end if;
  select coalesce(jsonb_agg(to_jsonb(t) order by t.occurred_at, t.id), '[]'), max(t.occurred_at) into events, latest from (
    select e.workspace_id, e.id, e.type, e.actor_id, e.project_id, e.task_id, e.resource_kind, e.resource_id, e.payload, e.occurred_at from domain_events e
    where e.occurred_at >= after and e.type = any(kinds) and e.actor_id is not null and (e.source is null or e.source not in ('agent', 'integration')) and exists (
      select from agents a where a.workspace_id = e.workspace_id and a.state = 'active' and a.deleted_at is null and a.trigger_kinds && '{mention,assignment,event}'
        and a.created_at <= e.occurred_at)
    order by e.occurred_at, e.id limit most) t;
  more := jsonb_array_length(events) = most and latest > after;
  if more then after := latest; else perform events_read('agents', settled); end if;
end $$;

revoke all on function integration_receive, due_integration_lanes, integration_caller from public;
grant execute on function integration_receive, due_integration_lanes, integration_caller to svc_app;
