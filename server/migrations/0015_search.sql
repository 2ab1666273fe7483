-- Asking the index that 0008 keeps: what a question may mean, and the best of what matches it.

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
