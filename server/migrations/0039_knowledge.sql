-- The index of Knowledge: passages of what people wrote, with their vectors, by the place that decides who sees them (a Project, or the Workspace for Documents
-- that are in none). What is there is what stands in its source now: what changes, is thrown away or moves leaves the index in the same commit, and the worker
-- brings it back from the events (server/src/knowledge/jobs.ts). Decision 0159.
create sequence knowledge_versions;

-- A place whose sources are in the index. Every change of what it holds raises its version; below `floor` it is not known what has gone.
create table knowledge_places (
  workspace_id uuid not null references workspaces,
  place_id uuid not null,
  floor bigint not null default nextval('knowledge_versions'), -- above whatever a place of this name had before
  version bigint not null default nextval('knowledge_versions'),
  leaving boolean not null default false, -- its passages are being removed
  primary key (workspace_id, place_id)
);

create table knowledge_passages (
  workspace_id uuid not null references workspaces,
  number bigint not null generated always as identity,
  place_id uuid not null,
  kind text not null check (kind in ('task_title', 'task_description', 'comment', 'document', 'attachment')),
  source_id uuid not null, -- the Task, comment, Document or attachment
  owner_id uuid, -- the Task or Document that it goes along with
  start_at integer not null, -- in UTF-16 code units of the source's text
  end_at integer not null,
  text text not null,
  terms bytea not null, -- 32 bits for each word that says something, as words.ts makes them
  vector bytea, -- 384 signed bytes; none where the model could not be loaded
  version bigint not null,
  primary key (workspace_id, number),
  constraint knowledge_passages_place check (start_at >= 0 and end_at > start_at)
);
create index knowledge_passages_of_source on knowledge_passages (workspace_id, source_id);
create index knowledge_passages_of_owner on knowledge_passages (workspace_id, owner_id) where owner_id is not null;
create index knowledge_passages_of_place on knowledge_passages (workspace_id, place_id, version, number);

-- Sources that have left a place: noted without waiting for anybody, and given a version by the worker. Whoever holds passages in memory takes out both.
create table knowledge_gone (
  workspace_id uuid not null references workspaces,
  number bigint not null generated always as identity,
  place_id uuid not null,
  source_id uuid not null,
  version bigint,
  gone_at timestamptz not null default now(),
  primary key (workspace_id, number)
);
create index knowledge_gone_from on knowledge_gone (workspace_id, place_id, version);

-- What is to be read anew.
create table knowledge_due (
  workspace_id uuid not null references workspaces,
  kind text not null check (kind in ('task', 'comment', 'document', 'attachment')),
  id uuid not null,
  asked_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, kind, id)
);
create index knowledge_due_newest on knowledge_due (workspace_id, asked_at desc);

call protect_tenant('knowledge_places', 'select, update');
call protect_tenant('knowledge_passages', 'select, insert, delete');
call protect_tenant('knowledge_gone', 'select, insert');
call protect_tenant('knowledge_due', 'select, delete');
grant usage on sequence knowledge_versions to svc_app;

-- For triggers: the passages of this row go, and those of what goes along with it.
create function forget_knowledge() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  with gone as (
    delete from knowledge_passages x where x.workspace_id = old.workspace_id and x.source_id = old.id returning x.place_id, x.source_id
  )
  insert into knowledge_gone (workspace_id, place_id, source_id) select distinct old.workspace_id, g.place_id, g.source_id from gone g;
  if tg_argv[0] = 'along' then
    with gone as (
      delete from knowledge_passages x where x.workspace_id = old.workspace_id and x.owner_id = old.id returning x.place_id, x.source_id
    )
    insert into knowledge_gone (workspace_id, place_id, source_id) select distinct old.workspace_id, g.place_id, g.source_id from gone g;
  end if;
  return null;
end $$;
-- Files are looked into after they were attached, which no event tells.
create function read_file_anew() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into knowledge_due (workspace_id, kind, id)
  select new.workspace_id, 'attachment', new.id where exists (select from knowledge_places k where k.workspace_id = new.workspace_id)
  on conflict (workspace_id, kind, id) do update set asked_at = excluded.asked_at;
  return null;
end $$;

-- The places whose sources are to be in the index.
create function knowledge_wanted() returns table (workspace_id uuid, place_id uuid) language sql stable set search_path = public, pg_temp as $$
  with active as materialized (
    select s.* from knowledge_settings s join workspaces w on w.id = s.workspace_id
    where s.included_projects <> '{}' and w.archived_at is null and entitled(w.id, 'workspace_knowledge') and s.enabled is not false
  ), projects_of as materialized (
    select a.workspace_id, p.id from active a cross join lateral unnest(a.included_projects) i(id)
      cross join lateral (select p.id from projects p where p.workspace_id = a.workspace_id and p.id = i.id and p.deleted_at is null limit 1) p
  )
  select o.workspace_id, o.id from projects_of o
  union all
  select a.workspace_id, a.workspace_id from active a where a.include_workspace_documents and exists (select from projects_of o where o.workspace_id = a.workspace_id)
$$;

-- All that there is in a place.
create function knowledge_sources(workspace uuid, place uuid) returns table (kind text, id uuid) language sql stable set search_path = public, pg_temp as $$
  with documents_of as (
    select d.id from documents d where d.workspace_id = workspace and d.project_id = place and d.trashed_at is null
    union all select d.id from documents d where place = workspace and d.workspace_id = workspace and d.project_id is null and d.trashed_at is null
  ), tasks_of as (
    select t.id from tasks t where t.workspace_id = workspace and t.project_id = place and t.trashed_at is null
  )
  select 'task', t.id from tasks_of t
  union all select 'comment', m.id from tasks_of t join comments m on m.workspace_id = workspace and m.task_id = t.id and m.deleted_at is null
  union all select 'document', d.id from documents_of d
  union all select 'attachment', a.id from attachments a where a.workspace_id = workspace and a.task_project_id = place and a.task_id is not null and a.state = 'stored'
  union all select 'attachment', a.id from attachments a where a.workspace_id = workspace and a.project_id = place and a.state = 'stored'
  union all select 'attachment', a.id from documents_of d join attachments a on a.workspace_id = workspace and a.document_id = d.id and a.state = 'stored'
$$;

-- Places come in and leave as the settings say, and what has gone gets its version; at most so many passages are removed at a time. Whether there is more.
create function settle_knowledge(most integer) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare
  removed integer := 0;
  place knowledge_places;
begin
  perform pg_advisory_xact_lock(hashtext('knowledge places'));
  update knowledge_places k set leaving = true
    where not k.leaving and not exists (select from knowledge_wanted() w where w.workspace_id = k.workspace_id and w.place_id = k.place_id);
  for place in select * from knowledge_places k where k.leaving loop
    exit when removed >= most;
    delete from knowledge_passages where ctid = any(array(
      select x.ctid from knowledge_passages x where x.workspace_id = place.workspace_id and x.place_id = place.place_id limit most - removed));
    declare
      deleted integer;
    begin
      get diagnostics deleted = row_count;
      removed := removed + deleted;
    end;
    if removed < most then
      delete from knowledge_gone g where g.workspace_id = place.workspace_id and g.place_id = place.place_id;
      delete from knowledge_places k where k.workspace_id = place.workspace_id and k.place_id = place.place_id;
    end if;
  end loop;
  for place in insert into knowledge_places (workspace_id, place_id) select w.workspace_id, w.place_id from knowledge_wanted() w
    on conflict do nothing returning * loop
    insert into knowledge_due (workspace_id, kind, id) select place.workspace_id, s.kind, s.id from knowledge_sources(place.workspace_id, place.place_id) s
    on conflict do nothing;
  end loop;
  delete from knowledge_due d where not exists (select from knowledge_places k where k.workspace_id = d.workspace_id);
  for place in select distinct k.* from knowledge_gone g join knowledge_places k on k.workspace_id = g.workspace_id and k.place_id = g.place_id where g.version is null loop
    update knowledge_places k set version = nextval('knowledge_versions')
      where k.workspace_id = place.workspace_id and k.place_id = place.place_id returning k.version into place.version;
    update knowledge_gone g set version = place.version where g.workspace_id = place.workspace_id and g.place_id = place.place_id and g.version is null;
  end loop;
  -- Whoever has not looked for an hour reads the place anew.
  with old as (
    delete from knowledge_gone g where g.version is not null and g.gone_at < now() - interval '1 hour' returning g.workspace_id, g.place_id, g.version
  ), last as (select o.workspace_id, o.place_id, max(o.version) as version from old o group by 1, 2)
  update knowledge_places k set floor = greatest(k.floor, l.version) from last l where k.workspace_id = l.workspace_id and k.place_id = l.place_id;
  return removed >= most;
end $$;

-- Reads what has changed since it last ran, in turns of about so many events, as index_search does. Of what moves or comes back, all that goes along is read anew.
create function read_for_knowledge(most integer, inout after timestamptz, inout settled timestamptz, out more boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  since timestamptz := events_since('knowledge');
  until timestamptz;
begin
  if after is null then
    after := since;
    settled := events_settled();
  end if;
  select max(e.occurred_at), count(*) = most into until, more
    from (select e.occurred_at from domain_events e where e.occurred_at >= after order by e.occurred_at limit most) e;
  if more and until = after then select min(e.occurred_at), min(e.occurred_at) is not null into until, more from domain_events e where e.occurred_at > after; end if;
  if not more then until := 'infinity'; end if;
  with recursive events as materialized (
    select distinct e.workspace_id, e.type, e.resource_id, e.task_id from domain_events e
    where e.occurred_at between after and until and e.type in ('task.created', 'task.updated', 'task.description_changed', 'task.moved', 'task.restored',
        'task.comment.created', 'task.comment.updated', 'document.created', 'document.updated', 'document.content_updated', 'document.moved', 'document.restored')
      and exists (select from knowledge_places k where k.workspace_id = e.workspace_id)
  ), branch as (
    select e.workspace_id, e.resource_id as id, e.type in ('document.moved', 'document.restored') as along from events e where e.type like 'document.%'
    union
    select c.workspace_id, c.id, true from branch b cross join lateral (
      select c.workspace_id, c.id from documents c where c.workspace_id = b.workspace_id and c.parent_id = b.id and b.along offset 0) c
  ), along as (select distinct e.workspace_id, e.task_id from events e where e.type in ('task.moved', 'task.restored')
  ), sources as (
    select e.workspace_id, 'task' as kind, e.task_id as id from events e where e.type like 'task.%' and e.type not like 'task.comment.%' and e.task_id is not null
    union select e.workspace_id, 'comment', e.resource_id from events e where e.type like 'task.comment.%'
    union select a.workspace_id, 'comment', m.id from along a cross join lateral (
      select m.id from comments m where m.workspace_id = a.workspace_id and m.task_id = a.task_id and m.deleted_at is null offset 0) m
    union select a.workspace_id, 'attachment', f.id from along a cross join lateral (
      select f.id from attachments f where f.workspace_id = a.workspace_id and f.task_id = a.task_id and f.state = 'stored' offset 0) f
    union select b.workspace_id, 'document', b.id from branch b
    union select b.workspace_id, 'attachment', f.id from branch b cross join lateral (
      select f.id from attachments f where f.workspace_id = b.workspace_id and f.document_id = b.id and f.state = 'stored' and b.along offset 0) f
  )
  insert into knowledge_due (workspace_id, kind, id) select s.workspace_id, s.kind, s.id from sources s
  on conflict (workspace_id, kind, id) do update set asked_at = excluded.asked_at;
  if more then after := until; else perform events_read('knowledge', settled); end if;
end $$;

-- The newest of what is due, a few of each Workspace: one that has brought much does not keep others waiting.
create function due_for_knowledge(most integer) returns table (workspace_id uuid, kind text, id uuid, asked_at text)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.workspace_id, d.kind, d.id, d.asked_at::text from (select distinct k.workspace_id from knowledge_places k) w cross join lateral (
    select * from knowledge_due d where d.workspace_id = w.workspace_id order by d.asked_at desc limit most) d
$$;
-- What was there before is read when a place comes in.
select events_read('knowledge', now());
revoke all on function forget_knowledge, read_file_anew, knowledge_wanted, knowledge_sources, settle_knowledge, read_for_knowledge, due_for_knowledge from public;
grant execute on function settle_knowledge, read_for_knowledge, due_for_knowledge to svc_app;
