-- Agents: what they are to do (a definition and its versions), which of them a Workspace has enabled, what people ask about them, and what they use. Decision 0169.
-- A definition is made in the studio, or copied from the curated ones when the Workspace enables it: then it has their id.
create table agent_definitions (
  workspace_id uuid not null,
  id uuid not null,
  curated text, -- the key of the curated one
  state text not null check (state in ('draft', 'published', 'retired')), -- of the newest version
  version integer not null default 1, -- the newest
  published_version integer, -- the newest that was published
  created_by_actor_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, created_by_actor_id) references actors
);

-- A published one never changes.
create table agent_versions (
  workspace_id uuid not null,
  definition_id uuid not null,
  version integer not null,
  name text not null,
  description text not null,
  instructions text not null,
  tools text[] not null,
  triggers jsonb not null,
  project_ids uuid[] not null, -- empty: every Project
  budgets jsonb not null,
  published_by_actor_id uuid,
  published_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (workspace_id, definition_id, version),
  foreign key (workspace_id, definition_id) references agent_definitions,
  foreign key (workspace_id, published_by_actor_id) references actors,
  constraint agent_versions_published check ((published_by_actor_id is null) = (published_at is null))
);

-- Deleted ones stay, so that what they did keeps their name.
create table agents (
  workspace_id uuid not null,
  id uuid not null,
  definition_id uuid not null,
  version integer not null, -- that it runs
  actor_id uuid not null,
  name text not null,
  username text not null, -- that it is mentioned by
  state text not null default 'active' check (state in ('active', 'paused', 'quarantined')),
  reason text, -- why it is paused or quarantined
  own_project_ids uuid[] not null default '{}', -- what the Agent is narrowed to; empty: as its version
  project_ids uuid[] not null default '{}', -- what follows from both; empty: every Project
  own_budgets jsonb not null default '{}',
  trigger_kinds text[] not null default '{}', -- of the version that it runs
  created_by_actor_id uuid not null,
  quarantined_by_actor_id uuid,
  quarantined_at timestamptz,
  deleted_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, actor_id) references actors,
  foreign key (workspace_id, definition_id, version) references agent_versions
);
create unique index agents_of_definition on agents (workspace_id, definition_id) where deleted_at is null;
create unique index agents_username on agents (workspace_id, username) where deleted_at is null;
create unique index agents_actor on agents (workspace_id, actor_id);
create index agents_on_schedule on agents (workspace_id, id) where state = 'active' and deleted_at is null and trigger_kinds @> '{schedule}';

create table agent_requests (
  workspace_id uuid not null,
  id uuid not null,
  definition_id uuid not null,
  version integer, -- that is to be published
  kind text not null check (kind in ('publish', 'access', 'change')),
  note text not null,
  state text not null default 'pending' check (state in ('pending', 'approved', 'rejected')),
  requested_by_actor_id uuid not null,
  decided_by_actor_id uuid,
  decided_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, requested_by_actor_id) references actors,
  constraint agent_requests_decided check ((state = 'pending') = (decided_at is null))
);
create index agent_requests_of_definition on agent_requests (workspace_id, definition_id, id);
create index agent_requests_pending on agent_requests (workspace_id, definition_id, requested_by_actor_id) where state = 'pending';

-- By day of UTC.
create table agent_usage (
  workspace_id uuid not null,
  definition_id uuid not null,
  day date not null,
  runs integer not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost numeric(20, 6) not null default 0,
  primary key (workspace_id, definition_id, day)
);

call protect_tenant('agent_definitions', 'select, insert, update');
call protect_tenant('agent_versions', 'select, insert, update');
call protect_tenant('agents', 'select, insert, update');
call protect_tenant('agent_requests', 'select, insert, update');
call protect_tenant('agent_usage', 'select, insert, update');

-- Of two budgets the narrower, limit by limit.
create function narrower_budgets(mine jsonb, theirs jsonb) returns jsonb language sql immutable parallel safe as $$
  select theirs || coalesce((select jsonb_object_agg(m.key, least(m.value::text::bigint, (theirs ->> m.key)::bigint)) from jsonb_each(mine) m), '{}')
$$;

-- Active ones that run on a schedule, of every Workspace.
create function agents_on_schedule() returns table (workspace_id uuid, id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select a.workspace_id, a.id from agents a where a.state = 'active' and a.deleted_at is null and a.trigger_kinds @> '{schedule}'
$$;
revoke all on function agents_on_schedule from public;
grant execute on function agents_on_schedule to svc_app;

-- An Agent is found by its names among those of members, as long as it is active.
create function name_agent() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from member_names where workspace_id = new.workspace_id and actor_id = new.actor_id;
  if new.state = 'active' and new.deleted_at is null then
    insert into member_names select new.workspace_id, new.actor_id, n.part, n.name from names_of(new.username, new.name) n;
  end if;
  return null;
end $$;
create trigger agents_name_agent after insert or update of state, name, deleted_at on agents
  for each row execute function name_agent();
