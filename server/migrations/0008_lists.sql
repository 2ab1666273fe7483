-- Lists of Tasks over all Projects, My Work, and the index that search reads.

-- Tasks in the order of their last change, merged from five stretches, one for each priority: one index serves two orders and a filter.
create function priority_rank(priority text) returns smallint language sql immutable parallel safe
  return array_position(array['none', 'low', 'medium', 'high', 'urgent'], priority);
alter table tasks add priority_rank smallint not null generated always as (priority_rank(priority)) stored;
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

-- What the caller does not see decides nothing of what is found: neither which words there are, nor how many places among the candidates are
-- taken. Whether there is such a thing at all, and whether the caller sees a Project: no row where it does not.
create index projects_not_for_all on projects (workspace_id, id) where (visibility = 'private' or deleted_at is not null) and erased_at is null;
create index projects_deleted on projects (workspace_id, id) where deleted_at is not null and erased_at is null;
create function search_restricted(workspace uuid) returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select case when coalesce(current_setting('svc.role', true), '') in ('owner', 'admin')
    then exists (select from projects p where p.workspace_id = workspace and p.deleted_at is not null and p.erased_at is null)
    else exists (select from projects p where p.workspace_id = workspace and (p.visibility = 'private' or p.deleted_at is not null) and p.erased_at is null) end
$$;
-- Becomes part of the statement that asks it, with the rights of that one. Where there are few Projects, those that the caller sees are known.
create function search_seen(workspace uuid, project uuid, known uuid[] default null) returns table (seen boolean) language sql stable rows 1 as $$
  select true where case when known is not null then project = any(known) else exists (
    select from projects p
    where p.workspace_id = workspace and p.id = project and p.deleted_at is null and (
      p.visibility = 'workspace' or coalesce(current_setting('svc.role', true), '') in ('owner', 'admin') or exists (
        select from project_members pm where pm.workspace_id = workspace and pm.project_id = project and pm.actor_id = current_actor()))
    limit 1) end
$$;
-- Whether the caller sees something with these words: among the newest, or among what the index finds.
create function search_knows(workspace uuid, term tsquery, places uuid[], within tsquery) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (
      select from (select e.words, e.project_id from search_entries e where e.workspace_id = workspace order by e.touched_at desc, e.id desc limit 200) e
        cross join lateral search_seen(workspace, e.project_id, places) where e.words @@ term)
    or exists (
      select from (select e.workspace_id, e.project_id from search_entries e where e.words @@ coalesce(term && within, term) limit 8000) e
        cross join lateral search_seen(workspace, e.project_id, places) where e.workspace_id = workspace)
$$;

-- What the words of a question may mean, as a condition on search_entries.words, and as plain words for showing where they stand. The last
-- word may be the beginning of one. A word that nothing has is taken for a mistyped one: those with two letters the other way round will do as
-- well, or else three that are like it. Apart stand the condition of the last word, that of all others, and that on the title.
create function search_any(mark text, word text, beginning text, likely text[]) returns tsquery language sql immutable parallel safe
  return (quote_literal(mark || word) || beginning || coalesce((select string_agg(' | ' || quote_literal(mark || l), '') from unnest(likely) l), ''))::tsquery;
create function search_question(
  workspace uuid, asked text, restricted boolean, places uuid[], within tsquery, out condition tsquery, out words text[], out last_word tsquery, out others tsquery, out titled tsquery)
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  mark text := search_mark(workspace);
  given text;
  place integer := 0;
  beginning text;
  asked_words text[];
  likely text[];
  known boolean;
  in_title tsquery;
begin
  asked_words := array(
    select w.lexeme from unnest(search_vector('', asked)) w where length(w.lexeme) <= 200 order by w.positions[1] limit 20);
  words := '{}';
  foreach given in array asked_words loop
    place := place + 1;
    beginning := case when place = cardinality(asked_words) then ':*' else '' end;
    last_word := search_any(mark, given, beginning, '{}');
    likely := '{}';
    if length(given) >= 4 then
      known := case when restricted then search_knows(workspace, last_word, places, within) else exists (
          select from search_words v where v.workspace_id = workspace
            and v.word >= given and v.word <= given || case when beginning = '' then '' else U&'\+10FFFF' end)
        or exists (
          select from (select e.workspace_id from search_entries e where e.words @@ last_word offset 0) e where e.workspace_id = workspace) end;
      if not known then
        likely := array(
          select v.word from search_words v where v.workspace_id = workspace and v.word = any(array(
            select overlay(given placing substr(given, at + 1, 1) || substr(given, at, 1) from at) from generate_series(1, length(given) - 1) at))
            and (not restricted or search_knows(workspace, quote_literal(mark || v.word)::tsquery, places, within)) limit 3);
        if cardinality(likely) = 0 then
          likely := array(
            select l.word from (
              select v.word from search_words v where v.workspace_id = workspace and v.word % given and similarity(v.word, given) >= 0.4
              order by similarity(v.word, given) desc, v.word limit case when restricted then 20 else 3 end
            ) l where not restricted or search_knows(workspace, quote_literal(mark || l.word)::tsquery, places, within) limit 3);
        end if;
        last_word := search_any(mark, given, beginning, likely);
      end if;
    end if;
    words := words || given || likely;
    in_title := search_any(mark || '=', given, beginning, likely);
    others := condition;
    condition := case when place = 1 then last_word else condition && last_word end;
    titled := case when place = 1 then in_title else titled && in_title end;
  end loop;
end $$;

-- The best of what matches, best first, gathered so that a word that everything has costs no more than a rare one. Looked at is what has
-- changed since the index was made, and the newest 500; from how many of those match follows what else is asked:
--   few (up to 1 %, or up to about 1,000 Tasks): the index finds everything, of which 400 are taken, titles and what is newest first;
--   many: the first 400 among the 1,000 behind those, because the index would gather a long list before it gives the first; and from the index
--   those that have it in the title, which weighs more than being new, unless these too are many.
-- For the beginning of a word the index gathers everything that begins so: where much does, and little has the other words, it is asked for
-- those only (measured at 100,000 Tasks: 2 ms in place of 17).
-- A score depends on what was found and never on the time of asking, so that pages fit together: 60 days weigh as much as e times the rank. A
-- word in the title counts five times what it counts in a description, which is 97 days, and ten times what it counts in a comment.
create function search_candidates(asked text, only_kind text, only_project uuid)
returns table (kind text, id uuid, task_id uuid, score float8, words text[])
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  workspace uuid := current_workspace();
  mark text := search_mark(workspace);
  question record;
  restricted boolean := search_restricted(workspace);
  most integer := case when restricted then 1000 else 500 end;
  -- How many Tasks there may be; where there are many Projects, any number.
  size float8 := case when only_project is null
    then (select case when count(*) < 200 then sum(c.last_number) else 'infinity' end from (
      select c.last_number from task_counters c where c.workspace_id = workspace limit 200) c)
    else (select c.last_number from task_counters c where c.workspace_id = workspace and c.project_id = only_project) end;
  -- Of few Projects, those that the caller sees and does not see; and where either are very few, the index is asked for them too, so that
  -- what is not seen is not even looked at (measured at 60,000 Tasks: three cost 0.1 ms, twenty 15).
  places uuid[];
  hidden uuid[];
  within tsquery;
  place tsquery;
  narrowed tsquery;
  since timestamptz := coalesce((select read_to from event_readers where reader = 'search'), '-infinity');
begin
  if restricted and (select count(*) from (select from task_counters c where c.workspace_id = workspace limit 200) c) < 200 then
    select coalesce(array_agg(p.id) filter (where s.seen), '{}'), coalesce(array_agg(p.id) filter (where s.seen is null), '{}') into places, hidden
      from projects p left join lateral search_seen(workspace, p.id) s on true where p.workspace_id = workspace and p.erased_at is null;
    if cardinality(places) = 0 then return; end if;
    within := case when cardinality(places) <= 3 then search_places(mark, places) when cardinality(hidden) <= 3 then !! search_places(mark, hidden) end;
  end if;
  question := search_question(workspace, asked, restricted, places, within);
  if question.condition is null then return; end if;
  place := nullif(concat_ws(' & ', quote_literal(mark || ':' || only_kind), quote_literal(mark || ':' || only_project), '(' || within::text || ')'), '')::tsquery;
  narrowed := coalesce(question.condition && place, question.condition);
  return query
  with changed_tasks as materialized (
    select t.id, t.updated_at, search_vector_of_task(mark, t.title, left(t.description_markdown, 4000)) as words from (
      select u.* from unnest(array[1, 2, 3, 4, 5]) r(rank) cross join lateral (
        select t.* from tasks t
        where t.workspace_id = workspace and t.trashed_at is null and t.priority_rank = r.rank and t.updated_at >= since
        order by t.updated_at desc, t.id desc limit most / 2
      ) u where only_kind is distinct from 'comment' order by u.updated_at desc limit most / 2
    ) t where not restricted or exists (select from search_seen(workspace, t.project_id, places)) limit 200
  ), changed_comments as materialized (
    select m.id, m.task_id, m.updated_at, setweight(search_vector(mark, left(m.markdown, 4000)), 'C') as words from (
      select * from comments m where m.workspace_id = workspace and m.deleted_at is null and m.updated_at >= since and only_kind is distinct from 'task'
      order by m.updated_at desc, m.id desc limit most / 2
    ) m cross join lateral (select t.project_id from tasks t where t.workspace_id = workspace and t.id = m.task_id limit 1) t
      where not restricted or exists (select from search_seen(workspace, t.project_id, places)) limit 200
  ), newest_of_all as materialized (
    (select * from search_entries e where e.workspace_id = workspace and only_project is null order by e.touched_at desc, e.id desc limit most)
    union all
    (select * from search_entries e where e.workspace_id = workspace and e.project_id = only_project and only_project is not null
     order by e.touched_at desc, e.id desc limit most)
  ), newest as materialized (
    select e.kind, e.id, e.task_id, e.words, e.touched_at, e.words @@ narrowed as fits from newest_of_all e
    where not restricted or exists (select from search_seen(workspace, e.project_id, places)) limit 500
  ), seen as materialized (
    select case when looked_at < 500 and (select count(*) from newest_of_all) < most then null
      when many then case when in_title < 25 then coalesce(question.titled && place, question.titled) end
      when greatest(8 * has_others, 25) <= has_last then coalesce(question.others && place, question.others)
      else narrowed end as of_index, many
    from (
      select count(*) as looked_at, count(*) filter (where n.fits) as hits, count(*) filter (where n.fits and n.words @@ question.titled) as in_title,
        count(*) filter (where n.words @@ question.others) as has_others,
        count(*) filter (where question.others is not null and n.words @@ question.last_word) as has_last
      from newest n) n cross join lateral (select looked_at = 500 and hits >= 5 and hits * size > 500000 as many) m
  ), further as (
    select e.kind, e.id, e.task_id, e.words, e.touched_at
    from (select n.touched_at, n.id from newest n where (select many from seen) order by n.touched_at, n.id limit 1) l
    cross join lateral (
      (select * from search_entries e where e.workspace_id = workspace and only_project is null and (e.touched_at, e.id) < (l.touched_at, l.id)
       order by e.touched_at desc, e.id desc limit 1000)
      union all
      (select * from search_entries e where e.workspace_id = workspace and e.project_id = only_project and only_project is not null
       and (e.touched_at, e.id) < (l.touched_at, l.id) order by e.touched_at desc, e.id desc limit 1000)
    ) e where e.words @@ narrowed and (not restricted or exists (select from search_seen(workspace, e.project_id, places))) limit 400
  ), indexed as (
    select e.kind, e.id, e.task_id, e.words, e.touched_at from (
      -- What has it in the title has it. One key that is compared as a number sorts in half the time of two.
      select e.* from seen cross join lateral (select * from search_entries e where e.words @@ (select of_index from seen) limit 8000) e
      where e.workspace_id = workspace and (places is null or e.project_id = any(places)) and (seen.many or e.words @@ narrowed)
      order by e.touched_at - case when seen.many or e.words @@ question.titled then interval '0' else interval '9000000 hours' end desc, e.id desc
    ) e where not restricted or exists (select from search_seen(workspace, e.project_id, places)) limit 400
  ), moved as (
    -- Comments whose Task has been moved since they were read still stand where it was.
    select e.kind, e.id, e.task_id, e.words, e.touched_at
    from (select distinct c.task_id from (
        select * from task_codes c where c.workspace_id = workspace and c.left_at >= since and only_project is not null
          and only_kind is distinct from 'task' order by c.left_at desc limit 100
      ) c) c
      cross join lateral (select * from search_entries e where e.workspace_id = workspace and e.task_id = c.task_id limit 100) e
    where e.kind = 'comment' and e.project_id <> only_project and e.words @@ question.condition limit 400
  ), found as (
    select distinct on (f.id) f.* from (
      select n.kind, n.id, n.task_id, n.words, n.touched_at from newest n where n.fits
      union all select * from further union all select * from indexed union all select * from moved
    ) f where f.id not in (select c.id from changed_tasks c union all select c.id from changed_comments c)
    -- As new as the index will have it: a change of something else than its words does not move it for ten seconds and back again.
    union all select 'task', c.id, c.id, c.words, coalesce((
      select s.touched_at from search_entries s where s.workspace_id = workspace and s.kind = 'task' and s.id = c.id limit 1), c.updated_at)
      from changed_tasks c where c.words @@ question.condition
    union all select 'comment', c.id, c.task_id, c.words, c.updated_at from changed_comments c where c.words @@ question.condition
  )
  select f.kind, f.id, f.task_id,
    round((ln(greatest(ts_rank('{0.1, 0.1, 0.2, 1}', f.words, question.condition), 1e-6)) + date_part('epoch', f.touched_at) / 5184000) * 1e6) / 1e6, question.words
  from found f order by 4 desc, 2 desc limit 900;
end $$;
revoke all on function search_restricted, search_seen, search_knows, search_question, search_candidates from public;
grant execute on function search_candidates to svc_app;
