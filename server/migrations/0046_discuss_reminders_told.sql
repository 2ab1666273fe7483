-- Reminders are changes of a member's conversation, too: each is told by its number in the stream. Decision 0167.
alter table discuss_reminders add column change_sequence bigint, add column created_change bigint;

create function number_discuss_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into discuss_streams as s (workspace_id, actor_id, change_sequence) values (new.workspace_id, new.actor_id, 1)
  on conflict (workspace_id, actor_id) do update set change_sequence = s.change_sequence + 1 returning s.change_sequence into new.change_sequence;
  if tg_op = 'INSERT' then
    new.created_change := new.change_sequence;
  end if;
  return new;
end $$;
create trigger discuss_reminders_numbered before insert or update on discuss_reminders for each row execute function number_discuss_change();

-- One delivery at a time: each takes numbers of many streams, and two would wait for each other.
create or replace function take_due_reminders(most integer) returns jsonb language sql security definer set search_path = public, pg_temp as $$
  with alone as materialized (select pg_try_advisory_xact_lock(hashtext('take_due_reminders')) as taken
  ), due as materialized (
    select r.workspace_id, r.id from alone, discuss_reminders r
    join memberships m on m.workspace_id = r.workspace_id and m.actor_id = r.actor_id and m.state = 'active'
    join workspaces w on w.id = r.workspace_id and w.archived_at is null
    where alone.taken and r.state = 'scheduled' and r.due_at <= now() order by r.due_at limit most for no key update of r skip locked
  ), taken as (
    update discuss_reminders r set state = 'delivered', delivered_at = now(), revision = r.revision + 1, updated_at = now()
    from due where r.workspace_id = due.workspace_id and r.id = due.id returning r.workspace_id, r.id, r.actor_id, r.target_kind, r.target_id
  )
  select coalesce(jsonb_agg(to_jsonb(t)), '[]') from taken t
$$;
