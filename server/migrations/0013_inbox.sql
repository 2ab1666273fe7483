-- What somebody is told in a Workspace: who is mentioned where, the items of each inbox, and what has been told already.

-- Who is mentioned in a Task, once for each of its texts. A job keeps it from the events: writing a text costs nothing more.
create table task_mentions (
  workspace_id uuid not null,
  task_id uuid not null,
  actor_id uuid not null,
  sources uuid[] not null, -- the Task's own id for its description, else the comment's
  created_at timestamptz not null default now(),
  primary key (workspace_id, task_id, actor_id),
  foreign key (workspace_id, task_id) references tasks on delete cascade,
  foreign key (workspace_id, actor_id) references actors
);
create index task_mentions_of_actor on task_mentions (workspace_id, actor_id, task_id desc);
call protect_tenant('task_mentions', 'select, insert, update, delete');

-- What is told of a Task, or of a Project. Until it is read or archived, an item gathers what is alike: it counts, and shows the newest.
create table inbox_items (
  workspace_id uuid not null,
  id uuid not null,
  actor_id uuid not null, -- whose
  category text not null,
  task_id uuid,
  project_id uuid, -- of what is told of no Task
  subject_id uuid not null generated always as (coalesce(task_id, project_id)) stored,
  event_type text not null,
  from_actor_id uuid, -- who did it; what time has done was nobody
  comment_id uuid, -- read when it is shown: what was deleted is not shown any more
  count integer not null check (count > 0),
  newest_at timestamptz not null,
  gathering boolean not null default true,
  listed boolean not null, -- false: somebody wants it by mail or push only
  mail_due boolean not null,
  digest_id uuid, -- the mail that it goes with
  read_at timestamptz,
  archived_at timestamptz,
  state text not null generated always as (case when archived_at is not null then 'archived' when read_at is not null then 'read' else 'unread' end) stored,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, actor_id) references actors,
  foreign key (workspace_id, task_id) references tasks on delete cascade,
  foreign key (workspace_id, project_id) references projects,
  constraint inbox_items_subject check (num_nonnulls(task_id, project_id) = 1),
  constraint inbox_items_gathering check (not gathering or (read_at is null and archived_at is null))
);
create unique index inbox_items_gathering_one on inbox_items (workspace_id, actor_id, category, subject_id, listed) where gathering;
create index inbox_items_newest on inbox_items (workspace_id, actor_id, state, newest_at desc, id desc) where listed;
create index inbox_items_of_category on inbox_items (workspace_id, actor_id, category, state, newest_at desc, id desc) where listed;
create index inbox_items_of_task on inbox_items (workspace_id, task_id) where task_id is not null;
create index inbox_items_of_project on inbox_items (workspace_id, project_id) where project_id is not null;
create index inbox_items_to_mail on inbox_items (workspace_id, actor_id, newest_at) where mail_due;
create index inbox_items_of_digest on inbox_items (workspace_id, digest_id) where digest_id is not null;
call protect_tenant('inbox_items', 'select, insert, update');

-- Who reviews what is in a Project.
create index project_members_leading on project_members (workspace_id, project_id, actor_id) where role = 'lead';

-- When somebody was last sent the news of a Workspace.
create table inbox_digests (
  workspace_id uuid not null,
  actor_id uuid not null,
  sent_at timestamptz not null,
  primary key (workspace_id, actor_id),
  foreign key (workspace_id, actor_id) references actors
);
call protect_tenant('inbox_digests', 'select, insert, update');

-- Each date of a Task of which its assignee has been reminded.
create table due_notices (
  workspace_id uuid not null,
  task_id uuid not null,
  actor_id uuid not null,
  due_date date not null,
  primary key (workspace_id, task_id, actor_id, due_date),
  foreign key (workspace_id, task_id) references tasks on delete cascade
);
call protect_tenant('due_notices', 'select');

-- Of the events that are looked at again, those that have been told.
create table told_events (
  workspace_id uuid not null,
  id uuid not null,
  occurred_at timestamptz not null,
  primary key (workspace_id, id)
);
create index told_events_occurred on told_events (occurred_at);
call protect_tenant('told_events', 'select');
-- What happened before there was an inbox is told to nobody.
select events_read('inbox', now());

-- The next events of these kinds that nobody has been told, each given out once: the transaction that takes them writes the items, or neither
-- happens. What no feed shows, such as the moves of a migration, is not told either. Each turn goes on after the one before.
create function take_events(kinds text[], most integer, inout after timestamptz, inout settled timestamptz, out events jsonb, out more boolean)
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
    delete from told_events o using event_readers r where r.reader = 'inbox' and o.occurred_at < r.read_to;
  end if;
end $$;

-- What PostgreSQL does not know as a time zone is UTC.
create function local_day(zone text) returns date language plpgsql stable set search_path = public, pg_temp as $$
begin
  return (now() at time zone zone)::date;
exception when invalid_parameter_value then
  return (now() at time zone 'UTC')::date;
end $$;

-- The open Tasks that are due today or tomorrow where their assignee is, each given out once for each date.
create function take_due_tasks(most integer) returns jsonb language sql security definer set search_path = public, pg_temp as $$
  with due as materialized (
    select t.workspace_id, t.id, t.assignee_actor_id, t.due_date from workspaces w cross join lateral (
      select * from tasks t
      where t.workspace_id = w.id and t.trashed_at is null and t.due_date between (now() at time zone 'UTC')::date - 1 and (now() at time zone 'UTC')::date + 2
        and t.assignee_actor_id is not null and t.completed_at is null offset 0
    ) t
    join statuses s on s.workspace_id = t.workspace_id and s.id = t.status_id and s.category not in ('completed', 'cancelled')
    join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id and p.archived_at is null and p.deleted_at is null
    join memberships m on m.workspace_id = t.workspace_id and m.actor_id = t.assignee_actor_id and m.state = 'active'
    join users u on u.id = m.user_id
    where w.archived_at is null and t.due_date between local_day(u.timezone) and local_day(u.timezone) + 1 and not exists (
      select from due_notices n where n.workspace_id = t.workspace_id and n.task_id = t.id and n.actor_id = t.assignee_actor_id and n.due_date = t.due_date)
    limit most
  ), kept as (
    insert into due_notices (workspace_id, task_id, actor_id, due_date) select workspace_id, id, assignee_actor_id, due_date from due
    on conflict do nothing returning workspace_id, task_id, actor_id
  )
  select coalesce(jsonb_agg(to_jsonb(k)), '[]') from kept k
$$;

-- Who has news to be mailed: not what is a moment old, which may still be read, and nobody twice within an hour.
create function due_digests(most integer) returns table (workspace_id uuid, actor_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select distinct i.workspace_id, i.actor_id from inbox_items i
  where i.mail_due and i.newest_at < now() - interval '5 minutes' and not exists (
    select from inbox_digests d where d.workspace_id = i.workspace_id and d.actor_id = i.actor_id and d.sent_at > now() - interval '1 hour')
  limit most
$$;
revoke all on function take_events, take_due_tasks, due_digests from public;
grant execute on function take_events, take_due_tasks, due_digests to svc_app;
