-- The Git repository that a Workspace keeps its Documents in step with: the connection, which file is which Document, the runs, and what they could not decide.

create table knowledge_repositories (
  workspace_id uuid primary key references workspaces,
  state text not null default 'disconnected' check (state in ('disconnected', 'active', 'paused')),
  -- Another one each time that it begins anew: what a run found out for one connection is not written for the next.
  connection_id uuid,
  url text,
  branch text,
  folder text,
  direction text check (direction in ('in', 'out', 'both')),
  root_document_id uuid, -- no reference: where it is gone, nothing is exchanged, rather than everything
  username text,
  sealed_credential text,
  connected_by_actor_id uuid, -- under whose name Documents change
  begun boolean not null default false, -- somebody has asked for a run: from then on they come by themselves
  -- How often something happened that makes the next run look at everything, and up to which of them one has.
  looks_asked bigint not null default 0,
  looks_done bigint not null default 0,
  commit text, -- both sides agree up to it
  committed_at bigint, -- seconds, as Git has it
  error_code text, -- of the last run
  synchronized_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (workspace_id, connected_by_actor_id) references actors,
  constraint knowledge_repositories_connected
    check (state = 'disconnected' or num_nulls(connection_id, url, branch, folder, direction, connected_by_actor_id) = 0)
);
create index knowledge_repositories_due on knowledge_repositories (workspace_id) where state = 'active' and begun;
call protect_tenant('knowledge_repositories', 'select, insert, update');

-- Which file a Document is, as both sides had it when they last agreed. A Document may be gone: its file is then to be removed.
create table repository_files (
  workspace_id uuid not null references knowledge_repositories,
  document_id uuid not null,
  path text collate "C" not null, -- below the folder
  oid text, -- Git's name of what is in the file; null: there is none, only a folder
  base text not null, -- the whole file, as both sides compare it
  parent_id uuid, -- of the Document
  marked boolean not null, -- whether the file names the Document
  revision bigint not null, -- of the Document
  content_revision bigint not null,
  primary key (workspace_id, document_id)
);
call protect_tenant('repository_files', 'select, insert, update, delete');

create table repository_runs (
  workspace_id uuid not null references knowledge_repositories,
  id uuid not null,
  kind text not null check (kind in ('import', 'sync')),
  state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  error_code text,
  requested_by_actor_id uuid,
  accept_removals boolean not null default false,
  accept_rewritten_history boolean not null default false,
  counts jsonb not null default '{}',
  problems jsonb not null default '[]',
  commit text,
  attempt integer not null default 0, -- counts whoever works on it: only the last one writes
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, requested_by_actor_id) references actors
);
-- One at a time.
create unique index repository_runs_open on repository_runs (workspace_id) where state in ('queued', 'running');
create index repository_runs_finished on repository_runs (workspace_id, finished_at);
call protect_tenant('repository_runs', 'select, insert, update');

create table repository_conflicts (
  workspace_id uuid not null references knowledge_repositories,
  id uuid not null,
  document_id uuid not null,
  kind text not null check (kind in ('content', 'location', 'removal')),
  state text not null default 'open' check (state in ('open', 'resolved')),
  path text not null,
  base text,
  ours text,
  theirs text,
  theirs_oid text,
  theirs_parent_id uuid, -- of the Document, as the folder says
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
create unique index repository_conflicts_open on repository_conflicts (workspace_id, document_id) where state = 'open';
create index repository_conflicts_in_order on repository_conflicts (workspace_id, id) where state = 'open';
call protect_tenant('repository_conflicts', 'select, insert, update, delete');

-- Attachments that lie beside the files of their Documents. Two Documents may share a file, and have an attachment each.
create table repository_attachments (
  workspace_id uuid not null references knowledge_repositories,
  document_id uuid not null,
  attachment_id uuid not null,
  path text collate "C" not null,
  oid text not null,
  primary key (workspace_id, document_id, attachment_id)
);
call protect_tenant('repository_attachments', 'select, insert, update, delete');
