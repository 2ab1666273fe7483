-- What a member keeps for themselves while they work: evidence, result sets, selections and saved views. Decision 0128.
-- A row of the first three is one version and never changes; a Task, comment or Document that it names may be gone, so nothing refers to them.

create table evidence_collections (
  workspace_id uuid not null,
  id uuid not null,
  version integer not null check (version >= 1),
  actor_id uuid not null,
  title text,
  sources jsonb not null, -- identities, revisions, places and digests; never a text
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (workspace_id, id, version),
  foreign key (workspace_id, actor_id) references actors
);
create index evidence_collections_of_actor on evidence_collections (workspace_id, actor_id, expires_at);

create table task_result_sets (
  workspace_id uuid not null,
  id uuid not null,
  version integer not null check (version >= 1),
  actor_id uuid not null,
  query jsonb not null,
  task_ids uuid[] not null,
  revisions bigint[] not null,
  complete boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (workspace_id, id, version),
  foreign key (workspace_id, actor_id) references actors,
  constraint task_result_sets_pairs check (cardinality(task_ids) = cardinality(revisions) and cardinality(task_ids) <= 1000)
);
create index task_result_sets_of_actor on task_result_sets (workspace_id, actor_id, expires_at);

create table task_selections (
  workspace_id uuid not null,
  id uuid not null,
  actor_id uuid not null,
  result_set_id uuid not null, -- it may be forgotten before
  version integer not null,
  task_ids uuid[] not null,
  revisions bigint[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, actor_id) references actors,
  constraint task_selections_pairs check (cardinality(task_ids) = cardinality(revisions) and cardinality(task_ids) between 1 and 1000)
);
create index task_selections_of_actor on task_selections (workspace_id, actor_id, expires_at);

create table task_saved_views (
  workspace_id uuid not null,
  id uuid not null,
  actor_id uuid not null,
  name text not null,
  query jsonb not null,
  layout jsonb not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, actor_id) references actors
);
create index task_saved_views_of_actor on task_saved_views (workspace_id, actor_id, id);

call protect_tenant('evidence_collections', 'select, insert');
call protect_tenant('task_result_sets', 'select, insert');
call protect_tenant('task_selections', 'select, insert');
call protect_tenant('task_saved_views', 'select, insert, update, delete');
