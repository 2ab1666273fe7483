-- What a Workspace decides for everybody in it, who is invited to it, and what each member keeps for themselves.

-- A token leads to the Workspace and not the other way round, so row-level security cannot stand in front of it. There are two, and both are
-- good for the same: one was answered to whoever invites, the other was mailed and nothing else, so that it proves the address. Expired is a
-- pending one whose time has passed. The hashes go when it is revoked or swept, and nobody finds it by a token any more.
create table invitations (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  email text not null, -- normalised
  role text not null check (role in ('admin', 'member', 'viewer')),
  state text not null default 'pending' check (state in ('pending', 'accepted', 'expired', 'revoked')),
  token_hash bytea,
  mailed_hash bytea,
  invited_by_actor_id uuid not null,
  accepted_by_user_id uuid references users,
  expires_at timestamptz not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint invitations_token unique (token_hash),
  constraint invitations_mailed unique (mailed_hash)
);
create unique index invitations_pending on invitations (workspace_id, email) where state = 'pending';
create index invitations_expired on invitations (expires_at) where token_hash is not null;

-- What strangers may read, by a name that nobody can guess. It says in which Workspace the resource is.
create table publications (
  public_id text primary key,
  workspace_id uuid not null references workspaces,
  kind text not null check (kind in ('project', 'document')),
  resource_id uuid not null,
  created_at timestamptz not null default now(),
  constraint publications_one_per_resource unique (workspace_id, kind, resource_id)
);
grant select, insert, update, delete on invitations, publications to svc_app;

-- One row each where the Workspace has decided something; without one the defaults hold, at revision zero.
-- This one is asked before anybody is let in. Row-level security would hide it then, and a row that is not seen lets in.
create table ai_access_policies (
  workspace_id uuid primary key references workspaces,
  enabled boolean not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
grant select, insert, update on ai_access_policies to svc_app;
create table workspace_settings (
  workspace_id uuid primary key references workspaces,
  timezone text not null default 'UTC',
  locale text not null default 'en',
  week_start text not null default 'monday' check (week_start in ('monday', 'saturday', 'sunday')),
  default_project_visibility text not null default 'workspace' check (default_project_visibility in ('workspace', 'private')),
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create table knowledge_settings (
  workspace_id uuid primary key references workspaces,
  enabled boolean, -- null: as the plan has it
  included_projects uuid[] not null default '{}',
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table notification_preferences (
  workspace_id uuid not null,
  actor_id uuid not null,
  category text not null,
  in_app boolean not null,
  push boolean not null,
  email boolean not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, actor_id, category),
  foreign key (workspace_id, actor_id) references actors
);
create table project_display_preferences (
  workspace_id uuid not null,
  actor_id uuid not null,
  preferences jsonb not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, actor_id),
  foreign key (workspace_id, actor_id) references actors
);
create table project_shortcuts (
  workspace_id uuid not null,
  actor_id uuid not null,
  project_ids uuid[] not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, actor_id),
  foreign key (workspace_id, actor_id) references actors
);
call protect_tenant('workspace_settings', 'select, insert, update');
call protect_tenant('knowledge_settings', 'select, insert, update');
call protect_tenant('notification_preferences', 'select, insert, update');
call protect_tenant('project_display_preferences', 'select, insert, update');
call protect_tenant('project_shortcuts', 'select, insert, update');
