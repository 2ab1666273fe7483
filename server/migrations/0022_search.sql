-- Asking the index that 0008 keeps. The statement that shows what was found is in server/src/search/store.ts; docs/search.md says how it ranks.
-- No condition on words is leakproof, so under row-level security none could use an index: search_matches and search_mended read as their owner,
-- in the caller's Workspace only. Who sees a Project is not decided here: the caller's Projects are an argument, and what is shown passes the predicate.
-- Release 0.2 still asks search_candidates and what that calls (0015): drop them one release later.

-- The words of a question, as the index would have them. The last may be the beginning of one, which a * says.
create function search_terms(asked text) returns text[] language plpgsql immutable parallel safe as $$
declare
  terms text[] := array(select w.lexeme from unnest(search_vector('', asked)) w where length(w.lexeme) <= 200 order by w.positions[1] limit 20);
begin
  if terms <> '{}' then terms[cardinality(terms)] := terms[cardinality(terms)] || '*'; end if;
  return terms;
end $$;

-- What is asked for, and where. A term is one word, or several of which one is enough.
create type search_question as (
  condition tsquery, -- every term
  last tsquery, others tsquery, -- of several: the last, and all but the last
  titled tsquery, partly tsquery, -- every term in the title; of several, any
  patterns text[], -- how each looks in a text that is not indexed yet
  kind text, places uuid[]); -- or null for every kind and every Project
create function search_question_of(terms text[], only_kind text, only_places uuid[]) returns search_question language plpgsql stable as $$
declare
  mark text := search_mark(current_workspace());
  count integer := cardinality(terms);
  parts text[];
  asked search_question;
begin
  asked.kind := only_kind;
  asked.places := only_places;
  -- In front of each word stands a character that no word has, in place of the mark of the Workspace.
  select array_agg('(' || w.condition || ')' order by t.place), array_agg('(?:^|[[:punct:][:space:]])(?:' || w.pattern || ')') into parts, asked.patterns
  from unnest(terms) with ordinality t(term, place) cross join lateral (
    select string_agg(quote_literal(E'\x01' || rtrim(w, '*')) || case when w like '%*' then ':*' else '' end, ' | ') as condition,
      string_agg(regexp_replace(rtrim(w, '*'), '([^[:alnum:]])', '\\\1', 'g') || case when w like '%*' then '' else '(?:$|[[:punct:][:space:]])' end, '|') as pattern
    from string_to_table(t.term, ' ') w
  ) w;
  asked.condition := replace(array_to_string(parts, ' & '), E'\x01', mark)::tsquery;
  asked.titled := replace(array_to_string(parts, ' & '), E'\x01', mark || '=')::tsquery;
  if count > 1 then
    asked.last := replace(parts[count], E'\x01', mark)::tsquery;
    asked.others := replace(array_to_string(parts[:count - 1], ' & '), E'\x01', mark)::tsquery;
    asked.partly := replace(array_to_string(parts, ' | '), E'\x01', mark || '=')::tsquery;
  end if;
  return asked;
end $$;

-- Something that matches: where it stood when it was read, whether every term is in its title, and what it weighs. Of something that has
-- changed and does not match any more, nothing.
create type search_match as (kind text, id uuid, task_id uuid, project_id uuid, in_title boolean, score float8);
-- From times that do not move, so that pages fit together: 60 days weigh as much as e times the rest.
create function search_score(kind text, in_title boolean, near_title boolean, touched_at timestamptz) returns float8 language sql stable parallel safe
  return round((date_part('epoch', touched_at) / 5184000
    + ln(case when in_title then 1.0::float8 when near_title then 0.45 when kind = 'comment' then 0.1 else 0.2 end)) * 1e6) / 1e6;

-- What matches among the newest 200; and among the next 800, where of 1,000 that much would be enough. A few Projects are looked through one by one.
create function search_newest(asked search_question, enough float8) returns setof search_match language plpgsql stable rows 100 set enable_sort = off as $$
declare
  workspace uuid := current_workspace();
  few uuid[] := case when cardinality(asked.places) <= 8 then asked.places end;
  skipped integer := 0;
  most integer := 200;
  matching integer;
begin
  loop
    return query select e.kind, e.id, e.task_id, e.project_id, e.in_title, search_score(e.kind, e.in_title, e.words @@ asked.partly, e.touched_at) from (
      select e.*, e.words @@ asked.titled as in_title from (
        (select * from search_entries e where e.workspace_id = workspace and few is null
         order by e.touched_at desc, e.id desc offset skipped limit most)
        union all
        select e.* from unnest(few) place cross join lateral (
          select * from search_entries e where e.workspace_id = workspace and e.project_id = place
          order by e.touched_at desc, e.id desc offset skipped / cardinality(few) limit most / cardinality(few)) e
      ) e where e.words @@ asked.condition
        and (asked.kind is null or e.kind = asked.kind) and (asked.places is null or e.project_id in (select unnest(asked.places))) offset 0) e;
    get diagnostics matching = row_count;
    exit when skipped > 0 or matching * 5 < enough;
    skipped := most;
    most := 800;
  end loop;
end $$;

-- The best 900 of what the index of words finds, or all where it is not known what the caller sees: of 8,000 entries, those that it has had for longest.
-- It is asked for the Projects too where they are few, or where 8,000 have left next to nothing: for many it takes long. For the beginning of a word it gathers
-- everything that begins so: where among the newest much more does than has all others, these alone are asked for.
create function search_indexed(asked search_question, only_titles boolean, seen boolean) returns setof search_match language plpgsql stable rows 100 as $$
declare
  workspace uuid := current_workspace();
  wanted tsquery := case when only_titles then asked.titled else asked.condition end;
  narrowed boolean := asked.places is null;
  found search_match[];
begin
  if not only_titles and asked.others is not null and (
    select count(*) filter (where e.words @@ asked.last) > 8 * count(*) filter (where e.words @@ asked.others) + 8
    from (select e.words from search_entries e where e.workspace_id = workspace order by e.touched_at desc, e.id desc limit 200) e
  ) then wanted := asked.others; end if;
  loop
    if cardinality(asked.places) between 1 and 8 or cardinality(found) < 20 then
      wanted := wanted && search_places(search_mark(workspace), asked.places);
      narrowed := true;
    end if;
    found := array(
      select m::search_match from (
        select e.kind, e.id, e.task_id, e.project_id, e.in_title, search_score(e.kind, e.in_title, e.words @@ asked.partly, e.touched_at) as score from (
          select e.*, e.words @@ asked.titled as in_title from (select * from search_entries e where e.words @@ wanted limit 8000) e
          where e.workspace_id = workspace and (asked.places is null or e.project_id in (select unnest(asked.places))) and (asked.kind is null or e.kind = asked.kind)
            and (asked.others is null or e.words @@ asked.condition) offset 0) e
        order by score desc limit case when seen then 900 else 8000 end) m);
    exit when narrowed or cardinality(found) >= 20
      or (select count(*) < 8000 from (select from search_entries e where e.words @@ wanted limit 8000) e);
  end loop;
  return query select * from unnest(found);
end $$;

-- What has changed since the index was last made, from the newest 250 events. They are found by their identifiers, which begin with the time at
-- which a request came: up to a minute before its event, or on a clock that is late. Comments go along with a Task that is moved or restored.
create function search_fresh(asked search_question) returns setof search_match language plpgsql stable rows 10 as $$
declare
  workspace uuid := current_workspace();
  since timestamptz := greatest((select r.read_to from event_readers r where r.reader = 'search'), '2000-01-01');
  first uuid := (lpad(to_hex(((extract(epoch from since) - 60) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid;
begin
  if not exists (select from domain_events e where e.workspace_id = workspace and e.id >= first) then return; end if;
  return query
  with events as materialized (
    select * from (
      select * from domain_events e where e.workspace_id = workspace and e.id >= first order by e.id desc limit 250
    ) e where e.occurred_at >= since
  )
  select c.kind, c.id, c.task_id, c.project_id, c.title ~ all(asked.patterns),
    case when concat_ws(' ', c.title, c.body) ~ all(asked.patterns) and (asked.kind is null or c.kind = asked.kind)
        and (asked.places is null or c.project_id in (select unnest(asked.places)))
      then search_score(c.kind, c.title ~ all(asked.patterns), c.title ~ any(asked.patterns), c.touched_at) end
  from (
    select 'task' as kind, t.id, t.id as task_id, t.project_id, t.updated_at as touched_at,
      lower(search_text(t.title)) as title, lower(search_text(left(t.description_markdown, 4000))) as body
    from (select distinct e.task_id from events e
      where e.type in ('task.created', 'task.updated', 'task.description_changed', 'task.moved', 'task.restored')) e
    cross join lateral (select * from tasks t where t.workspace_id = workspace and t.id = e.task_id limit 1) t
    union all
    select 'comment', m.id, m.task_id, t.project_id, m.updated_at, null, lower(search_text(left(m.markdown, 4000)))
    from (
      select e.resource_id as id from events e where e.resource_kind = 'comment'
      union select m.id from events e cross join lateral (
        select m.id from comments m where m.workspace_id = workspace and m.task_id = e.task_id limit 100
      ) m where e.type in ('task.moved', 'task.restored')
    ) e cross join lateral (select * from comments m where m.workspace_id = workspace and m.id = e.id limit 1) m
    cross join lateral (select t.project_id from tasks t where t.workspace_id = workspace and t.id = m.task_id limit 1) t
  ) c;
end $$;

-- Everything that matches and can be among the best. Where about 1,000 Tasks match or more, going by the newest, these are enough, and the index is
-- asked for titles alone, unless they are as many: it would gather a long list before it gives the first. `seen`: the caller sees all of these places.
create function search_matches(terms text[], only_kind text, places uuid[], seen boolean) returns setof search_match
language plpgsql stable rows 100 security definer set search_path = public, pg_temp as $$
declare
  asked search_question := search_question_of(terms, only_kind, places);
  tasks float8;
  enough float8; -- of the 1,000 newest
  newest search_match[];
  fresh search_match[];
begin
  if asked.condition is null then return; end if;
  if places is null then
    -- Where there are many Projects, there may be any number of Tasks.
    select case when count(*) < 100 then sum(c.last_number) else 'infinity' end into tasks
      from (select c.last_number from task_counters c where c.workspace_id = current_workspace() limit 100) c;
  else
    select sum(c.last_number) into tasks from unnest(places) place
      cross join lateral (select c.last_number from task_counters c where c.workspace_id = current_workspace() and c.project_id = place limit 1) c;
  end if;
  enough := 1000 * 1000 / greatest(tasks, 1);
  newest := array(select n from search_newest(asked, enough) n);
  fresh := array(select f from search_fresh(asked) f);
  return query
  select * from (
    select * from unnest(newest)
    union all
    select * from search_indexed(asked, seen and cardinality(newest) > enough, seen) i
    where (not seen or (select count(*) <= enough from unnest(newest) n where n.in_title)) and i.id not in (select n.id from unnest(newest) n)
  ) m where m.id not in (select f.id from unnest(fresh) f)
  union all
  select * from unnest(fresh) f where f.score is not null;
end $$;

-- The same terms where something has each of them. A word that nothing has is taken for a mistyped one: up to three words of titles like it will do as well,
-- first those with two letters the other way round. What is not in these places is not known, or a mistyped word would tell what private titles say.
create function search_mended(terms text[], places uuid[]) returns text[]
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  workspace uuid := current_workspace();
  given text;
  turned text[];
begin
  for place in 1 .. least(cardinality(terms), 8) loop
    given := rtrim(terms[place], '*');
    continue when length(given) < 4 or exists (select from search_matches(array[terms[place]], null, places, true));
    turned := array(select overlay(given placing substr(given, at + 1, 1) || substr(given, at, 1) from at) from generate_series(1, length(given) - 1) at);
    terms[place] := concat_ws(' ', terms[place], (select string_agg(l.word, ' ') from (
      select l.word from (
        (select v.word from search_words v where v.workspace_id = workspace and v.word = any(turned) limit 3)
        union all
        (select v.word from search_words v where v.workspace_id = workspace and v.word % given and similarity(v.word, given) >= 0.4
          and v.word <> all(turned) order by similarity(v.word, given) desc, v.word limit 20)
      ) l where exists (select from search_matches(array[l.word], null, places, true)) limit 3) l));
  end loop;
  return terms;
end $$;
revoke all on function search_question_of, search_newest, search_indexed, search_fresh, search_matches, search_mended from public;
grant execute on function search_matches, search_mended to svc_app;
