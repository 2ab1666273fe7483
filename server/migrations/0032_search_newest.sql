-- Each kind is looked for by itself: where the newest entries are all comments or Documents, they tell nothing of Tasks, and the index of words was asked for
-- all that has a common word. Of 0008, search_entries_newest and search_entries_newest_of_project serve release 0.2 alone: drop them one release later.
drop function search_newest(search_question, float8);
drop function search_indexed(search_question, boolean, boolean);

-- What matches among so many of the newest of a kind. A few Projects are looked through one by one.
create function search_newest(asked search_question, of_kind text, skipped integer, most integer) returns setof search_match
language plpgsql stable rows 100 set enable_sort = off as $$
declare
  workspace uuid := current_workspace();
  few uuid[] := case when cardinality(asked.places) <= 8 then asked.places end;
begin
  return query select e.kind, e.id, e.task_id, e.project_id, e.in_title, search_score(e.kind, e.in_title, e.words @@ asked.partly, e.touched_at) from (
    select e.*, e.words @@ asked.titled as in_title from (
      (select * from search_entries e where e.workspace_id = workspace and e.kind = of_kind and few is null
       order by e.touched_at desc, e.id desc offset skipped limit most)
      union all
      select e.* from unnest(few) place cross join lateral (
        select * from search_entries e where e.workspace_id = workspace and e.project_id = place and e.kind = of_kind
        order by e.touched_at desc, e.id desc offset skipped / cardinality(few) limit most / cardinality(few)) e
    ) e where e.words @@ asked.condition and (asked.places is null or e.project_id in (select unnest(asked.places))) offset 0) e;
end $$;

-- About how many thousands there are of a kind, of whose newest 1,000 so many match. There are taken to be as many comments as Tasks. Documents may be far fewer: of them it is
-- only asked whether there are so many that 1,000 match, up to 10,000, and then there are taken to be twice as many.
create function search_size(asked search_question, of_kind text, matching float8) returns float8 language plpgsql stable as $$
declare
  workspace uuid := current_workspace();
  needed float8 := 1000 * 1000 / matching;
  size float8;
begin
  if of_kind = 'document' then
    if needed > 10000 then return 0; end if;
    if asked.places is null then
      size := (select 2 * needed / 1000 from search_entries e where e.workspace_id = workspace and e.kind = 'document' offset needed::integer - 1 limit 1);
    else
      size := (select 2 * needed / 1000 from search_entries e
        where e.workspace_id = workspace and e.project_id = any(asked.places) and e.kind = 'document' offset needed::integer - 1 limit 1);
    end if;
    return greatest(size, 0);
  elsif asked.places is null then
    -- Where there are many Projects, there may be any number of Tasks.
    select case when count(*) < 100 then sum(c.last_number) else 'infinity' end into size
      from (select c.last_number from task_counters c where c.workspace_id = workspace limit 100) c;
  else
    select sum(c.last_number) into size from unnest(asked.places) place
      cross join lateral (select c.last_number from task_counters c where c.workspace_id = workspace and c.project_id = place limit 1) c;
  end if;
  return greatest(size, 0) / 1000;
end $$;

-- The best 900 of these kinds that the index of words finds, or all where it is not known what the caller sees: of 8,000 entries, those that it has had for longest.
-- It is asked for the Projects too where they are few, or where 8,000 have left next to nothing: for many it takes long. `marked`: it is asked for the kinds too, because others have the words
-- much more. For the beginning of a word it gathers everything that begins so: where among the newest much more does than has all others, these alone are asked for.
create function search_indexed(asked search_question, kinds text[], only_titles boolean, marked boolean, seen boolean) returns setof search_match
language plpgsql stable rows 100 as $$
declare
  workspace uuid := current_workspace();
  mark text := search_mark(workspace);
  wanted tsquery := case when only_titles then asked.titled else asked.condition end;
  narrowed boolean := asked.places is null;
  found search_match[];
begin
  if not only_titles and asked.others is not null and (
    select count(*) filter (where e.words @@ asked.last) > 8 * count(*) filter (where e.words @@ asked.others) + 8
    from unnest(kinds) of_kind cross join lateral (
      select e.words from search_entries e where e.workspace_id = workspace and e.kind = of_kind order by e.touched_at desc, e.id desc limit 200 / cardinality(kinds)) e
  ) then wanted := asked.others; end if;
  -- These have an index of their own.
  wanted := wanted && !! quote_literal(mark || ':document')::tsquery;
  if marked then wanted := wanted && (select string_agg(quote_literal(mark || ':' || k), ' | ')::tsquery from unnest(kinds) k); end if;
  loop
    if cardinality(asked.places) between 1 and 8 or cardinality(found) < 20 then
      wanted := wanted && search_places(mark, asked.places);
      narrowed := true;
    end if;
    found := array(
      select m::search_match from (
        select e.kind, e.id, e.task_id, e.project_id, e.in_title, search_score(e.kind, e.in_title, e.words @@ asked.partly, e.touched_at) as score from (
          select e.*, e.words @@ asked.titled as in_title from (select * from search_entries e where e.words @@ wanted limit 8000) e
          where e.workspace_id = workspace and e.kind = any(kinds) and (asked.places is null or e.project_id in (select unnest(asked.places)))
            and (asked.others is null or e.words @@ asked.condition) offset 0) e
        order by score desc limit case when seen then 900 else 8000 end) m);
    exit when narrowed or cardinality(found) >= 20 or (select count(*) < 8000 from (select from search_entries e where e.words @@ wanted limit 8000) e);
  end loop;
  return query select * from unnest(found);
end $$;

-- Documents have an index of their own: of 20,000, the newest 900, or 8,000 where it is not known what the caller sees. Their words are long and are not looked at: the index says where they stand.
create function search_documents_having(asked search_question, condition tsquery, in_title boolean, near_title boolean, seen boolean) returns setof search_match
language plpgsql stable rows 100 as $$
declare
  workspace uuid := current_workspace();
begin
  if cardinality(asked.places) between 1 and 8 then condition := condition && search_places(search_mark(workspace), asked.places); end if;
  return query
  select e.kind, e.id, e.task_id, e.project_id, in_title, search_score(e.kind, in_title, near_title, e.touched_at) from (
    select e.workspace_id, e.kind, e.id, e.task_id, e.project_id, e.touched_at from search_entries e where e.kind = 'document' and e.words @@ condition limit 20000
  ) e where e.workspace_id = workspace and (asked.places is null or e.project_id in (select unnest(asked.places)))
  order by e.touched_at desc limit case when seen then 900 else 8000 end;
end $$;
create function search_documents(asked search_question, only_titles boolean, seen boolean) returns setof search_match language plpgsql stable rows 100 as $$
begin
  return query select * from search_documents_having(asked, asked.titled, true, false, seen);
  if only_titles then return; end if;
  if asked.partly is null then
    return query select * from search_documents_having(asked, asked.condition && !! asked.titled, false, false, seen);
  else
    return query select * from search_documents_having(asked, asked.condition && asked.partly && !! asked.titled, false, true, seen);
    return query select * from search_documents_having(asked, asked.condition && !! asked.partly, false, false, seen);
  end if;
end $$;

-- Everything that matches and can be among the best, of each kind by itself. Where about 1,000 of a kind match or more, going by its newest 200, the newest 1,000 are enough, and
-- the index is asked for titles alone, unless they are more than 3,000 of Tasks, or 1,000 of Documents: it would gather a long list before it gives the first. Where about 10,000 Tasks match, it is not asked for comments
-- either, and the other way round. `seen`: the caller sees all of these places.
create or replace function search_matches(terms text[], only_kind text, places uuid[], seen boolean) returns setof search_match
language plpgsql stable rows 100 security definer set search_path = public, pg_temp as $$
declare
  asked search_question := search_question_of(terms, only_kind, places);
  kinds text[] := case when only_kind is null then array['task', 'comment', 'document'] else array[only_kind] end;
  of_kind text;
  first integer;
  most integer;
  matching float8; -- of 1,000
  size float8;
  part search_match[];
  newest search_match[] := '{}';
  few text[] := '{}'; -- kinds of which the newest are not enough
  titled text[] := '{}'; -- and those of which old titles are wanted too
  dense boolean := false;
  indexed search_match[] := '{}';
  fresh search_match[];
begin
  if asked.condition is null then return; end if;
  foreach of_kind in array kinds loop
    -- Words of Documents are long: fewer of them are looked at.
    first := case when of_kind = 'document' then 50 else 200 end;
    most := case when of_kind = 'document' then 500 else 1000 end;
    part := array(select n from search_newest(asked, of_kind, 0, first) n);
    matching := 1000.0 / first * cardinality(part);
    size := case when matching > 0 and seen then search_size(asked, of_kind, matching) else 0 end;
    if matching * size >= 1000 then
      part := part || array(select n from search_newest(asked, of_kind, first, most - first) n);
      matching := 1000.0 / most * cardinality(part);
    end if;
    if matching * size < 1000 then few := few || of_kind;
    elsif (select 1000.0 / most * count(*) from unnest(part) n where n.in_title) * size < (case when of_kind = 'task' then 3000 else 1000 end) then titled := titled || of_kind;
    end if;
    dense := dense or of_kind <> 'document' and matching * size >= 10000;
    newest := newest || part;
  end loop;
  if dense and 'task' = any(few) then titled := titled || 'task'::text; end if;
  few := array(select f from unnest(few) f where not dense or f = 'document');
  if few && array['task', 'comment'] then
    indexed := array(select i from search_indexed(asked, array_remove(few, 'document'), false, cardinality(array_remove(few, 'document')) < cardinality(array_remove(kinds, 'document')), seen) i);
  end if;
  if 'task' = any(titled) then indexed := indexed || array(select i from search_indexed(asked, array['task'], true, false, seen) i); end if;
  if 'document' = any(few || titled) then indexed := indexed || array(select d from search_documents(asked, 'document' = any(titled), seen) d); end if;
  fresh := array(select f from search_fresh(asked) f);
  return query
  select m.* from (
    select * from unnest(newest) n where n.id not in (select f.id from unnest(fresh) f)
    union all
    select * from unnest(indexed) i where i.id not in (select n.id from unnest(newest) n union all select f.id from unnest(fresh) f)
    union all
    select * from unnest(fresh) f where f.score is not null
  ) m order by m.score desc, m.id desc limit case when seen then 900 end;
end $$;

-- Whether anything in these places has these words.
create function search_has(terms text[], places uuid[]) returns boolean language plpgsql stable as $$
declare
  workspace uuid := current_workspace();
  asked search_question := search_question_of(terms, null, places);
  wanted tsquery := case when cardinality(places) <= 8 then asked.condition && search_places(search_mark(workspace), places) else asked.condition end;
begin
  return exists (select from unnest(array['task', 'comment', 'document']) of_kind cross join lateral search_newest(asked, of_kind, 0, 50) n)
    or exists (select from (select e.workspace_id, e.project_id from search_entries e where e.words @@ wanted limit 8000) e
      where e.workspace_id = workspace and (places is null or e.project_id in (select unnest(places))))
    or exists (select from search_fresh(asked) f where f.score is not null)
    or (cardinality(places) > 8 and exists (select from (select e.workspace_id from search_entries e
      where e.words @@ (wanted && search_places(search_mark(workspace), places)) limit 8000) e where e.workspace_id = workspace));
end $$;

-- As in 0022, and it is not asked for the best of what a word finds, but whether it finds anything.
create or replace function search_mended(terms text[], places uuid[]) returns text[]
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  workspace uuid := current_workspace();
  given text;
  turned text[];
begin
  for place in 1 .. least(cardinality(terms), 8) loop
    given := rtrim(terms[place], '*');
    continue when length(given) < 4 or search_has(array[terms[place]], places);
    turned := array(select overlay(given placing substr(given, at + 1, 1) || substr(given, at, 1) from at) from generate_series(1, length(given) - 1) at);
    terms[place] := concat_ws(' ', terms[place], (select string_agg(l.word, ' ') from (
      select l.word from (
        (select v.word from search_words v where v.workspace_id = workspace and v.word = any(turned) limit 3)
        union all
        (select v.word from search_words v where v.workspace_id = workspace and v.word % given and similarity(v.word, given) >= 0.4
          and v.word <> all(turned) order by similarity(v.word, given) desc, v.word limit 20)
      ) l where search_has(array[l.word], places) limit 3) l));
  end loop;
  return terms;
end $$;
revoke all on function search_newest, search_size, search_has, search_indexed, search_documents_having, search_documents from public;
