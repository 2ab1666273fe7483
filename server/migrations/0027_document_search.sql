-- Documents among what search finds. What is in no Project stands in a place of its own, which is the Workspace: whoever sees the Workspace sees it.
-- Release 0.2 reads these entries too and shows none of them: it shows Tasks, and what has one.
alter table search_entries alter column task_id drop not null;
alter table search_entries drop constraint search_entries_kind_check;
alter table search_entries add constraint search_entries_kind check (kind in ('task', 'comment', 'document') and (kind = 'document') = (task_id is null)) not valid;

-- Words of a Document: of a long one those of the first 100,000 characters, which any vector has room for.
create function search_vector_of_document(mark text, title text, body text) returns tsvector language sql immutable parallel safe
  return setweight(search_vector(mark, title), 'A')
    || setweight(to_tsvector('pg_catalog.simple', regexp_replace(' ' || search_text(left(body, 100000)), '[[:punct:][:space:]]+', ' ' || mark, 'g')), 'B');

create function index_search_documents_of(changed search_source[]) returns void language sql set search_path = public, pg_temp as $$
  insert into search_words (workspace_id, word)
    select distinct d.workspace_id, w.lexeme
    from unnest(changed) c cross join lateral (select * from documents d where d.workspace_id = c.workspace_id and d.id = c.id limit 1) d
      cross join lateral unnest(search_vector('', d.title)) w
    where length(w.lexeme) between 3 and 40
    order by 1, 2
    on conflict do nothing;
  insert into search_entries as s (workspace_id, kind, id, project_id, words, touched_at, revision)
  select d.workspace_id, 'document', d.id, coalesce(d.project_id, d.workspace_id),
      search_vector_of_document(search_mark(d.workspace_id), d.title, r.text) || search_place(search_mark(d.workspace_id), 'document', coalesce(d.project_id, d.workspace_id))
        || search_title(search_mark(d.workspace_id), d.title),
      d.updated_at, d.revision + d.content_revision
    from unnest(changed) c cross join lateral (select * from documents d where d.workspace_id = c.workspace_id and d.id = c.id limit 1) d
      cross join lateral (select r.text from document_revisions r
        where r.workspace_id = d.workspace_id and r.document_id = d.id and r.revision = d.content_revision limit 1) r
    where d.trashed_at is null
    on conflict (workspace_id, kind, id) do update
      set project_id = excluded.project_id, words = excluded.words, touched_at = excluded.touched_at, revision = excluded.revision;
$$;

-- What events of this time have changed. Of a Document that moves, is thrown away or comes back, all that is below goes along.
-- Each change raises the revision of the Document or of its content, and so their sum.
create function index_search_documents(since timestamptz, until timestamptz) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  touched search_source[];
begin
  with recursive branch as (
    select e.workspace_id, e.resource_id as id, bool_or(e.type in ('document.moved', 'document.trashed', 'document.restored')) as along
    from domain_events e where e.occurred_at between since and until and e.resource_kind = 'document'
      and e.type in ('document.created', 'document.updated', 'document.content_updated', 'document.moved', 'document.trashed', 'document.restored')
    group by 1, 2
    union
    select c.workspace_id, c.id, true from branch b cross join lateral (
      select c.workspace_id, c.id from documents c where c.workspace_id = b.workspace_id and c.parent_id = b.id and b.along offset 0) c
  )
  select array_agg(distinct (b.workspace_id, b.id)::search_source) into touched from branch b;
  if touched is null then return; end if;
  -- What is in the trash must not take the place of anything that is found.
  delete from search_entries where ctid = any(array(
    select s.ctid from unnest(touched) c
      cross join lateral (select d.trashed_at from documents d where d.workspace_id = c.workspace_id and d.id = c.id limit 1) d
      cross join lateral (select s.ctid from search_entries s where s.workspace_id = c.workspace_id and s.kind = 'document' and s.id = c.id limit 1) s
    where d.trashed_at is not null));
  perform index_search_documents_of(array(
    select c from unnest(touched) c
      cross join lateral (select * from documents d where d.workspace_id = c.workspace_id and d.id = c.id limit 1) d
      left join lateral (select * from search_entries s where s.workspace_id = c.workspace_id and s.kind = 'document' and s.id = c.id limit 1) s on true
    where d.trashed_at is null and (s.revision is distinct from d.revision + d.content_revision or s.project_id <> coalesce(d.project_id, d.workspace_id))));
end $$;
revoke all on function index_search_documents_of, index_search_documents from public;

-- As in 0008, and Documents.
create or replace function index_search(most integer, inout after timestamptz, inout settled timestamptz, out more boolean)
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
  perform index_search_documents(after, until);
  if more then after := until; else perform events_read('search', settled); end if;
end $$;

-- As in 0022, and for Documents alone the index is asked for them alone.
create or replace function search_indexed(asked search_question, only_titles boolean, seen boolean) returns setof search_match language plpgsql stable rows 100 as $$
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
  -- Among very many Tasks there may be few Documents.
  if asked.kind = 'document' then wanted := wanted && quote_literal(search_mark(workspace) || ':document')::tsquery; end if;
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

-- As in 0022, and Documents. Comments go along with a Task that is moved or restored, and Documents with the one that they stand below.
create or replace function search_fresh(asked search_question) returns setof search_match language plpgsql stable rows 10 as $$
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
    union all
    select 'document', d.id, null, d.place, d.updated_at, lower(search_text(d.title)), lower(search_text(left(d.text, 30000)))
    from (
      select e.resource_id as id from events e where e.resource_kind = 'document'
      union select d.id from events e cross join lateral (
        select d.id from documents d where d.workspace_id = workspace and d.parent_id = e.resource_id limit 100
      ) d where e.type in ('document.moved', 'document.restored')
    ) e cross join lateral (
      select d.id, coalesce(d.project_id, workspace) as place, d.revision + d.content_revision as revision, d.updated_at, d.title, r.text
      from documents d join document_revisions r on r.workspace_id = d.workspace_id and r.document_id = d.id and r.revision = d.content_revision
      where d.workspace_id = workspace and d.id = e.id limit 1) d
    where not exists ( -- What the index has as it is, it has whole.
      select from search_entries s where s.workspace_id = workspace and s.kind = 'document' and s.id = d.id and s.revision = d.revision and s.project_id = d.place)
  ) c;
end $$;
