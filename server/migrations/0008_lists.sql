-- Lists of Tasks over all Projects, My Work, and the index that search reads.

-- Tasks in the order of their last change, merged from five stretches, one for each priority: one index serves two orders and a filter.
create index tasks_changed on tasks (workspace_id, priority_rank desc, updated_at desc, id desc) where trashed_at is null;
create index tasks_of_project_changed on tasks (workspace_id, project_id, priority_rank desc, updated_at desc, id desc) where trashed_at is null;
-- The columns of a board.
create index tasks_in_order on tasks (workspace_id, project_id, status_id, position, id) where trashed_at is null;
-- What is open and what is completed apart: of the latter a person has more every day.
create index tasks_of_assignee_changed on tasks (workspace_id, assignee_actor_id, (case when completed_at is null then 1 else 0 end), updated_at desc, id desc)
  where trashed_at is null and assignee_actor_id is not null;
create index tasks_of_creator_changed on tasks (workspace_id, created_by_actor_id, (case when completed_at is null then 1 else 0 end), updated_at desc, id desc)
  where trashed_at is null;
create index tasks_due on tasks (workspace_id, due_date, id) where trashed_at is null and due_date is not null;
create index tasks_of_assignee_due on tasks (workspace_id, assignee_actor_id, due_date, id)
  where trashed_at is null and assignee_actor_id is not null and due_date is not null and completed_at is null;
create index tasks_of_assignee_completed on tasks (workspace_id, assignee_actor_id, completed_at desc, id desc)
  where trashed_at is null and assignee_actor_id is not null and completed_at is not null;
create index tasks_in_trash on tasks (workspace_id, trashed_at desc, id desc) where trashed_at is not null;

-- Search. What is found by its words has a row of its own, which a job keeps from the events: a generated column with its index would cost
-- every write more than 100 µs. What has changed since the job last ran is read from the Tasks and comments themselves.
do $$ begin
  create extension if not exists pg_trgm;
  create extension if not exists btree_gin;
exception when insufficient_privilege or undefined_file or feature_not_supported then
  raise exception 'search needs the PostgreSQL extensions pg_trgm and btree_gin, which this user cannot create (%)', sqlerrm
    using errcode = 'insufficient_privilege',
      hint = format('run as a superuser in the database %I: create extension pg_trgm; create extension btree_gin;', current_database());
end $$;

create table search_entries (
  workspace_id uuid not null,
  kind text not null check (kind in ('task', 'comment')),
  id uuid not null,
  task_id uuid not null,
  project_id uuid not null, -- in which the Task was when this was read: it stands among the words too
  words tsvector not null, -- each with the mark of its Workspace in front: the index then holds the words of each Workspace apart
  touched_at timestamptz not null,
  revision bigint not null, -- of what was read
  primary key (workspace_id, kind, id),
  foreign key (workspace_id, task_id) references tasks on delete cascade
);
create index search_entries_words on search_entries using gin (words);
create index search_entries_newest on search_entries (workspace_id, touched_at desc, id desc);
create index search_entries_newest_of_project on search_entries (workspace_id, project_id, touched_at desc, id desc);
create index search_entries_of_task on search_entries (workspace_id, task_id);
-- The words of titles: what somebody may have meant who has mistyped one.
create table search_words (
  workspace_id uuid not null references workspaces,
  word text collate "C" not null,
  primary key (workspace_id, word)
);
create index search_words_like on search_words using gin (workspace_id, word gin_trgm_ops);
-- Up to when each of those who follow the events has read them.
create table event_readers (reader text primary key, read_to timestamptz not null);
-- Up to which word the sweep has come, through all Workspaces and round again.
create table search_sweep (one boolean primary key default true check (one), after_workspace uuid not null, after_word text collate "C" not null);
call protect_tenant('search_entries', 'select');
call protect_tenant('search_words', 'select');
create index domain_events_occurred on domain_events using brin (occurred_at);
-- Tasks that have come from elsewhere lately.
create index task_codes_left on task_codes (workspace_id, left_at desc);
create index comments_changed on comments (workspace_id, updated_at desc, id desc) where deleted_at is null;

create function search_mark(workspace uuid) returns text language sql immutable parallel safe return 'w' || right(workspace::text, 8);
-- A letter and its accent as one character, where they came as two: what looks alike is found alike.
create function search_text(body text) returns text language sql immutable parallel safe
  return case when octet_length(body) > length(body) and body ~ '[\u0300-\u036f\u1100-\u11ff\u3099\u309a]' then normalize(body) else body end;
-- Words are what stands between blanks and punctuation, in any language and without stemming; of a long text the first 30,000 characters.
create function search_vector(mark text, body text) returns tsvector language sql immutable parallel safe
  return to_tsvector('pg_catalog.simple', regexp_replace(' ' || search_text(left(body, 30000)), '[[:punct:][:space:]]+', ' ' || mark, 'g'));
create function search_vector_of_task(mark text, title text, body text) returns tsvector language sql immutable parallel safe
  return setweight(search_vector(mark, title), 'A') || setweight(search_vector(mark, body), 'B');
-- Beside the words stand the kind and the Project, and those of the title once more: no word has a colon or an equals sign in it.
create function search_place(mark text, kind text, project uuid) returns tsvector language sql immutable parallel safe
  return array_to_tsvector(array[mark || ':' || kind, mark || ':' || project]);
create function search_places(mark text, projects uuid[]) returns tsquery language sql immutable parallel safe
  return (select string_agg(quote_literal(mark || ':' || p), ' | ')::tsquery from unnest(projects) p);
create function search_title(mark text, title text) returns tsvector language sql immutable parallel safe
  return array_to_tsvector(array(select mark || '=' || w.lexeme from unnest(search_vector('', title)) w));

-- From when on a reader must look, while nobody else reads for it: before, everything has been read.
create function events_since(who text) returns timestamptz language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtext('events for ' || who));
  return coalesce((select read_to from event_readers where reader = who), '-infinity');
end $$;
create function events_read(who text, up_to timestamptz) returns void language sql set search_path = public, pg_temp
  as $$ insert into event_readers as r (reader, read_to) values (who, up_to)
    on conflict (reader) do update set read_to = greatest(r.read_to, excluded.read_to) $$;
-- Before when no further event can appear, because an event has the time at which its transaction began: before everything that is still
-- running, and not within the last seconds. What runs for longer than a minute is not waited for.
create function events_settled() returns timestamptz language sql set search_path = public, pg_temp as $$
  select greatest(least(clock_timestamp() - interval '5 seconds', min(a.xact_start)), clock_timestamp() - interval '1 minute')
  from pg_stat_activity a where a.datname = current_database() and a.pid <> pg_backend_pid()
$$;
revoke all on function events_since, events_read, events_settled from public;

create type search_source as (workspace_id uuid, id uuid);
create function index_search_of(changed_tasks search_source[], changed_comments search_source[]) returns void
language sql set search_path = public, pg_temp as $$
  insert into search_words (workspace_id, word)
    select distinct t.workspace_id, w.lexeme
    from unnest(changed_tasks) c cross join lateral (select * from tasks t where t.workspace_id = c.workspace_id and t.id = c.id limit 1) t
      cross join lateral unnest(search_vector('', t.title)) w
    where length(w.lexeme) between 3 and 40
    order by 1, 2
    on conflict do nothing;
  insert into search_entries as s (workspace_id, kind, id, task_id, project_id, words, touched_at, revision)
  select t.workspace_id, 'task', t.id, t.id, t.project_id,
      search_vector_of_task(search_mark(t.workspace_id), t.title, t.description_markdown) || search_place(search_mark(t.workspace_id), 'task', t.project_id)
        || search_title(search_mark(t.workspace_id), t.title),
      t.updated_at, t.revision
    from unnest(changed_tasks) c cross join lateral (select * from tasks t where t.workspace_id = c.workspace_id and t.id = c.id limit 1) t
    union all
    select m.workspace_id, 'comment', m.id, m.task_id, t.project_id,
      setweight(search_vector(search_mark(m.workspace_id), m.markdown), 'C') || search_place(search_mark(m.workspace_id), 'comment', t.project_id),
      m.updated_at, m.revision
    from unnest(changed_comments) c cross join lateral (select * from comments m where m.workspace_id = c.workspace_id and m.id = c.id limit 1) m
      cross join lateral (select * from tasks t where t.workspace_id = m.workspace_id and t.id = m.task_id limit 1) t
    where m.deleted_at is null and t.trashed_at is null
    on conflict (workspace_id, kind, id) do update
      set project_id = excluded.project_id, words = excluded.words, touched_at = excluded.touched_at, revision = excluded.revision;
$$;

-- Reads what has changed since it last ran, in turns of about so many events: each goes on after the one before, and the last one says up to
-- when nothing has to be read again.
create function index_search(most integer, inout after timestamptz, inout settled timestamptz, out more boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  since timestamptz := events_since('search');
  until timestamptz;
  changed_tasks search_source[];
  changed_comments search_source[];
begin
  if after is null then
    after := since;
    settled := events_settled();
  end if;
  select max(e.occurred_at), count(*) = most into until, more
    from (select e.occurred_at from domain_events e where e.occurred_at >= after order by e.occurred_at limit most) e;
  -- So many of one moment, which are one command's, are read at once.
  if more and until = after then select min(e.occurred_at), min(e.occurred_at) is not null into until, more from domain_events e where e.occurred_at > after; end if;
  if not more then until := 'infinity'; end if;
  changed_tasks := array(
    select (t.workspace_id, t.id)::search_source
    from (select distinct workspace_id, task_id from domain_events where occurred_at between after and until and task_id is not null
      and type in ('task.created', 'task.updated', 'task.description_changed', 'task.moved', 'task.restored')) e -- what changes its words or its place
      cross join lateral (select * from tasks t where t.workspace_id = e.workspace_id and t.id = e.task_id limit 1) t
      left join lateral (select * from search_entries s where s.workspace_id = t.workspace_id and s.kind = 'task' and s.id = t.id limit 1) s on true
    where s.revision is distinct from t.revision and t.trashed_at is null);
  changed_comments := array(
    select (found.workspace_id, found.id)::search_source from (
      (select m.workspace_id, m.id
      from (select distinct workspace_id, resource_id from domain_events where occurred_at between after and until and resource_kind = 'comment') e
        cross join lateral (select * from comments m where m.workspace_id = e.workspace_id and m.id = e.resource_id limit 1) m
        left join lateral (select * from search_entries s where s.workspace_id = m.workspace_id and s.kind = 'comment' and s.id = m.id limit 1) s on true
      where case when m.deleted_at is null then s.revision is distinct from m.revision else s.id is not null end)
      union
      -- Comments go along when their Task is moved, without a change of their own.
      (select s.workspace_id, s.id
      from (select distinct workspace_id, task_id from domain_events where occurred_at between after and until and type = 'task.moved') e
        join tasks t on t.workspace_id = e.workspace_id and t.id = e.task_id
        join search_entries s on s.workspace_id = t.workspace_id and s.task_id = t.id and s.kind = 'comment'
      where s.project_id <> t.project_id)
      union
      -- And come back with it from the trash.
      (select m.workspace_id, m.id
      from (select distinct workspace_id, task_id from domain_events where occurred_at between after and until and type = 'task.restored') e
        cross join lateral (select * from comments m where m.workspace_id = e.workspace_id and m.task_id = e.task_id and m.deleted_at is null offset 0) m
        left join lateral (select * from search_entries s where s.workspace_id = m.workspace_id and s.kind = 'comment' and s.id = m.id limit 1) s on true
      where s.id is null)
    ) found);
  delete from search_entries where ctid = any(array(
    select s.ctid from unnest(changed_comments) c
      cross join lateral (select * from comments m where m.workspace_id = c.workspace_id and m.id = c.id limit 1) m
      cross join lateral (select s.ctid from search_entries s where s.workspace_id = c.workspace_id and s.kind = 'comment' and s.id = c.id limit 1) s
    where m.deleted_at is not null));
  -- What is in the trash must not take the place of anything that is found.
  delete from search_entries where ctid = any(array(
    select s.ctid
    from (select distinct workspace_id, task_id from domain_events where occurred_at between after and until and type = 'task.trashed') e
      cross join lateral (select * from tasks t where t.workspace_id = e.workspace_id and t.id = e.task_id limit 1) t
      cross join lateral (select s.ctid from search_entries s where s.workspace_id = t.workspace_id and s.task_id = t.id offset 0) s
    where t.trashed_at is not null));
  perform index_search_of(changed_tasks, changed_comments);
  if more then after := until; else perform events_read('search', settled); end if;
end $$;

-- Forgets words that nothing has any more, of so many at a time; how many it has looked at. Not while the index is written, which would take a
-- word for known that goes. What waits to be sorted into the index is sorted in before, or every look would read through it.
create function sweep_search_words(most integer) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
declare
  start search_sweep;
  looked search_words[];
begin
  perform gin_clean_pending_list('search_entries_words');
  perform events_since('search');
  select * into start from search_sweep;
  looked := array(
    select v from search_words v
    where (v.workspace_id, v.word) > (coalesce(start.after_workspace, '00000000-0000-0000-0000-000000000000'), coalesce(start.after_word, ''))
    order by v.workspace_id, v.word limit most);
  delete from search_words v using unnest(looked) l
    where v.workspace_id = l.workspace_id and v.word = l.word and not exists (
      select from (
        select e.workspace_id from search_entries e where e.words @@ quote_literal(search_mark(l.workspace_id) || l.word)::tsquery offset 0
      ) e where e.workspace_id = l.workspace_id offset 0);
  if cardinality(looked) < most then delete from search_sweep;
  else
    insert into search_sweep (after_workspace, after_word) values (looked[most].workspace_id, looked[most].word)
    on conflict (one) do update set after_workspace = excluded.after_workspace, after_word = excluded.after_word;
  end if;
  return cardinality(looked);
end $$;
revoke all on function index_search, index_search_of, sweep_search_words from public;
grant execute on function index_search, sweep_search_words to svc_app;
