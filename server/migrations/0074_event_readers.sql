-- Followers that read events by time skip nothing after a promotion, and nothing that a long transaction holds back. Decision 0214.

-- Timeline of the cluster on which a follower read last: times of another timeline come from another clock.
alter table event_readers add column timeline text not null default journal_timeline();

-- After a change of the timeline a follower starts ten minutes before its position, because the clock of the new primary may be behind.
create or replace function events_since(who text) returns timestamptz language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtext('events for ' || who));
  return coalesce((select r.read_to - case when r.timeline = journal_timeline() then interval '0' else interval '10 minutes' end
    from event_readers r where r.reader = who), '-infinity');
end $$;
create or replace function events_read(who text, up_to timestamptz) returns void language sql set search_path = public, pg_temp
  as $$ insert into event_readers as r (reader, read_to) values (who, up_to)
    on conflict (reader) do update set timeline = excluded.timeline,
      read_to = case when r.timeline = excluded.timeline then greatest(r.read_to, excluded.read_to) else excluded.read_to end $$;

-- Time before which no further event can appear, because an event has the time at which its transaction began: before every transaction that has
-- written, and not within the last seconds. A transaction that has written nothing is not waited for once it is older than the patience.
create function events_settled(patience interval) returns timestamptz language sql set search_path = public, pg_temp as $$
  select least(greatest(least(clock_timestamp() - interval '5 seconds', min(a.xact_start)), clock_timestamp() - patience),
    min(a.xact_start) filter (where a.backend_xid is not null))
  from pg_stat_activity a where a.datname = current_database() and a.pid <> pg_backend_pid()
$$;
create or replace function events_settled() returns timestamptz language sql set search_path = public, pg_temp
  as $$ select events_settled(interval '1 minute') $$;
revoke all on function events_settled(interval) from public;

-- As in 0013, but told events are stored for as long as a follower may start before its position.
create or replace function take_events(kinds text[], most integer, inout after timestamptz, inout settled timestamptz, out events jsonb, out more boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  since timestamptz := events_since('inbox');
  latest timestamptz;
begin
  if after is null then
    after := since;
    settled := events_settled();
  end if;
  with taken as (
    select e.* from domain_events e
    where e.occurred_at >= after and e.type = any(kinds) and e.activity is not null and e.actor_id is not null
      and not exists (select from told_events o where o.workspace_id = e.workspace_id and o.id = e.id)
    order by e.occurred_at, e.id limit most
  ), kept as (
    insert into told_events (workspace_id, id, occurred_at) select workspace_id, id, occurred_at from taken
  )
  select coalesce(jsonb_agg(to_jsonb(t) order by t.occurred_at, t.id), '[]'), max(t.occurred_at) into events, latest from taken t;
  more := jsonb_array_length(events) = most;
  if more then after := latest;
  else
    perform events_read('inbox', settled);
    delete from told_events o using event_readers r where r.reader = 'inbox' and o.occurred_at < r.read_to - interval '10 minutes';
  end if;
end $$;
