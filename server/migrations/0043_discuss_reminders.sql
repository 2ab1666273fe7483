-- Reminders that members set for themselves. What one is about may be gone, so nothing refers to it. Decision 0167.
create table discuss_reminders (
  workspace_id uuid not null,
  id uuid not null,
  actor_id uuid not null,
  text text not null,
  due_at timestamptz not null,
  target_kind text,
  target_id uuid,
  state text not null default 'scheduled' check (state in ('scheduled', 'delivered', 'completed', 'cancelled')),
  delivered_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, actor_id) references actors,
  constraint discuss_reminders_target check ((target_kind is null) = (target_id is null))
);
create index discuss_reminders_of_actor on discuss_reminders (workspace_id, actor_id, state, due_at, id);
-- For the delivery and the sweep, in whichever Workspace they are.
create index discuss_reminders_due on discuss_reminders (due_at) where state = 'scheduled';
create index discuss_reminders_closed on discuss_reminders (updated_at) where state in ('completed', 'cancelled');
call protect_tenant('discuss_reminders', 'select, insert, update');

-- Those that are due, each given out once: the transaction that takes them tells them, or neither happens. Whoever is suspended is told later.
create function take_due_reminders(most integer) returns jsonb language sql security definer set search_path = public, pg_temp as $$
  with due as materialized (
    select r.workspace_id, r.id from discuss_reminders r
    join memberships m on m.workspace_id = r.workspace_id and m.actor_id = r.actor_id and m.state = 'active'
    join workspaces w on w.id = r.workspace_id and w.archived_at is null
    where r.state = 'scheduled' and r.due_at <= now() order by r.due_at limit most for no key update of r skip locked
  ), taken as (
    update discuss_reminders r set state = 'delivered', delivered_at = now(), revision = r.revision + 1, updated_at = now()
    from due where r.workspace_id = due.workspace_id and r.id = due.id returning r.workspace_id, r.id, r.actor_id, r.target_kind, r.target_id
  )
  select coalesce(jsonb_agg(to_jsonb(t)), '[]') from taken t
$$;
revoke all on function take_due_reminders from public;
grant execute on function take_due_reminders to svc_app;
