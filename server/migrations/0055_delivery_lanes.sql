-- Lanes in which something waits that nobody is at work on, the one that waits longest first: since its first came, since it was put off, or since it last had its turn. One row of each lane is read,
-- however much waits in it. Decision 0203.
create or replace function due_integration_lanes(most integer) returns table (workspace_id uuid, installation_id uuid, lane text)
language sql stable security definer set search_path = public, pg_temp as $$
  with recursive firsts as (
    (select d.workspace_id, d.installation_id, d.lane, d.received_at, d.leased_until from integration_deliveries d where d.state = 'waiting'
     order by d.workspace_id, d.installation_id, d.lane, d.tx, d.number limit 1)
    union all
    select n.* from firsts f cross join lateral (
      select d.workspace_id, d.installation_id, d.lane, d.received_at, d.leased_until from integration_deliveries d
      where d.state = 'waiting' and (d.workspace_id, d.installation_id, d.lane) > (f.workspace_id, f.installation_id, f.lane)
      order by d.workspace_id, d.installation_id, d.lane, d.tx, d.number limit 1) n
  )
  select f.workspace_id, f.installation_id, f.lane from firsts f
  where f.leased_until is null or f.leased_until < now()
  order by greatest(f.received_at, f.leased_until) limit most
$$;
