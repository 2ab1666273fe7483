-- What every request stands on: people, credentials, Workspaces, memberships, idempotency, events, audit.
-- A table of a Workspace has workspace_id first in its primary key and in its indexes; rows that belong to an account and to no
-- Workspace carry the nil UUID there. users, credentials, workspaces and memberships decide the tenant, so row-level security
-- cannot stand in front of them; every other table has it (see protect_tenant).

-- In place of the next revision, where the row is not at the one that was read: the request is tried again.
create function changed_meanwhile() returns bigint language plpgsql as
$$ begin raise exception 'changed meanwhile' using errcode = 'serialization_failure'; end $$;

create function wire_time(at timestamptz) returns text language sql stable parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Which keys seal and sign what is stored: a start with others is refused. Not for the application's role. An id is never used again.
create table secret_keys (
  id text primary key,
  check_value bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

create table users (
  id uuid primary key,
  email text not null,
  email_verified_at timestamptz,
  email_proved_at timestamptz, -- by what only its mailbox was told, or by a provider; an invitation that was answered with its token verifies and does not prove
  display_name text not null,
  username text not null,
  password_hash text,
  mfa_enabled_at timestamptz,
  timezone text not null default 'UTC',
  locale text not null default 'en',
  week_start text not null default 'monday' check (week_start in ('monday', 'saturday', 'sunday')),
  picture_key text, -- of the stored object; a new picture is a new key
  last_workspace_id uuid, -- where the next sign-in leads; no foreign key, because it counts only with an active membership
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint users_email_taken unique (email),
  constraint users_username_taken unique (username),
  constraint users_proved_is_verified check (email_proved_at is null or email_verified_at is not null)
);

create table workspaces (
  id uuid primary key,
  name text not null,
  slug text not null,
  plan text not null default 'free' check (plan in ('free', 'team', 'business')),
  icon_key text, -- of the stored object; a new icon is a new key
  created_by_user_id uuid not null references users,
  archived_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint workspaces_slug_taken unique (slug)
);

create table memberships (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  user_id uuid not null references users,
  actor_id uuid not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  state text not null check (state in ('invited', 'active', 'suspended', 'removed', 'left')),
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint memberships_one_per_user unique (workspace_id, user_id),
  constraint memberships_one_per_actor unique (workspace_id, actor_id)
);
create index memberships_of_user on memberships (user_id, workspace_id);
create index memberships_owners on memberships (workspace_id) where role = 'owner' and state = 'active';

-- Whose one active Free Workspace it is: always of an active owner, and of none where every owner has another.
create table free_claims (
  user_id uuid not null references users,
  workspace_id uuid not null references workspaces,
  constraint free_claims_one_per_account primary key (user_id),
  constraint free_claims_one_per_workspace unique (workspace_id)
);
-- With the membership of its holder the claim passes to the owner of longest standing who has none; who is claiming at this moment has one.
create function pass_free_claim() returns trigger language plpgsql as $$
begin
  delete from free_claims where user_id = new.user_id and workspace_id = new.workspace_id;
  if found then
    insert into free_claims (user_id, workspace_id)
    select m.user_id, m.workspace_id from memberships m
    where m.workspace_id = new.workspace_id and m.role = 'owner' and m.state = 'active'
      and not exists (select from free_claims f where f.user_id = m.user_id)
    order by m.created_at, m.id limit 1
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger memberships_pass_free_claim after update of role, state on memberships
  for each row when (old.role = 'owner' and old.state = 'active' and (new.role <> 'owner' or new.state <> 'active')) execute function pass_free_claim();
create function end_free_claim() returns trigger language plpgsql as
$$ begin delete from free_claims where workspace_id = new.id; return null; end $$;
create trigger workspaces_end_free_claim after update of plan, archived_at on workspaces
  for each row when (new.plan <> 'free' or new.archived_at is not null) execute function end_free_claim();

-- One table for every kind of credential: a request is authenticated by one lookup of one hash, whatever it carries.
create table credentials (
  id uuid primary key,
  kind text not null check (kind in ('session', 'personal', 'developer', 'native', 'mcp', 'service')),
  secret_hash bytea not null,
  user_id uuid references users, -- nobody's: a Workspace's own, for MCP, which acts as actor_id
  workspace_id uuid references workspaces,
  actor_id uuid,
  made_by_user_id uuid references users, -- of a service: who made it
  project_ids uuid[], -- of a service: what it is narrowed to; empty is every Project that it sees
  scopes text[] not null default '{}',
  name text,
  last_four text,
  remembered boolean not null default true,
  grant_id uuid, -- of a token that an OAuth client was given: its family dies together
  parent_id uuid references credentials on delete cascade, -- the token that it was exchanged for: it is not good without it
  language text, -- of the interface, in this session only
  user_agent text,
  address inet,
  authenticated_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint credentials_secret unique (secret_hash),
  constraint credentials_owner check (case kind when 'service' then user_id is null and workspace_id is not null and actor_id is not null and project_ids is not null else user_id is not null end)
);
create index credentials_of_user on credentials (user_id, kind, id) where revoked_at is null;
create index credentials_of_workspace on credentials (workspace_id, kind, id) where revoked_at is null and workspace_id is not null;
create index credentials_made_by on credentials (made_by_user_id) where made_by_user_id is not null and revoked_at is null;
create index credentials_of_parent on credentials (parent_id) where parent_id is not null;
create index credentials_of_grant on credentials (grant_id) where grant_id is not null;
create index credentials_expired on credentials (expires_at);

create table actors (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  kind text not null check (kind in ('human', 'service', 'agent')),
  user_id uuid references users,
  name text, -- of one that is no human
  created_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
alter table memberships add constraint memberships_actor foreign key (workspace_id, actor_id) references actors (workspace_id, id);

-- Written by the write's own transaction, with its answer: a twin waits on the primary key and then finds it.
create table idempotency_keys (
  workspace_id uuid not null,
  principal_id uuid not null,
  operation text not null,
  key_hash bytea not null,
  fingerprint bytea not null,
  status smallint not null,
  etag text,
  body text not null,
  command_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, key_hash, principal_id, operation)
);
create index idempotency_keys_created on idempotency_keys using brin (created_at);

create table domain_events (
  workspace_id uuid not null,
  id uuid not null,
  type text not null,
  activity text,
  actor_id uuid,
  user_id uuid,
  source text,
  command_id uuid not null,
  project_id uuid,
  task_id uuid,
  resource_kind text not null,
  resource_id uuid not null,
  payload jsonb not null default '{}',
  occurred_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
create index domain_events_activity on domain_events (workspace_id, occurred_at desc, id desc) where activity is not null;
create index domain_events_activity_of_project on domain_events (workspace_id, project_id, occurred_at, id) where activity is not null;
create index domain_events_activity_of_actor on domain_events (workspace_id, actor_id, occurred_at, id) where activity is not null;

create table audit_log (
  workspace_id uuid not null,
  id uuid not null,
  operation text not null,
  user_id uuid,
  actor_id uuid,
  credential_id uuid,
  credential_kind text,
  target_id text,
  correlation_id text not null,
  occurred_at timestamptz not null default now(),
  primary key (workspace_id, id)
);

-- Every statement of the application runs as svc_app, which owns nothing: row-level security and the grants hold for it.
do $$ begin
  if not exists (select from pg_roles where rolname = 'svc_app') then create role svc_app nologin; end if;
exception when duplicate_object or unique_violation then null;
end $$;
do $$ begin execute format('grant svc_app to %I', current_user); end $$;
grant usage on schema public to svc_app;
grant select, insert, update, delete on users, workspaces, memberships, credentials to svc_app;
grant select, insert, delete on free_claims to svc_app;

-- Who is calling, as the authentication query has set it on this connection. Statements that ask these functions instead of taking
-- parameters can be sent in the same write as the authentication itself.
create function current_workspace() returns uuid language sql stable parallel safe
  return nullif(current_setting('svc.workspace', true), '')::uuid;
create function current_actor() returns uuid language sql stable parallel safe
  return nullif(current_setting('svc.actor', true), '')::uuid;
create function current_account() returns uuid language sql stable parallel safe
  return nullif(current_setting('svc.account', true), '')::uuid;
create function current_credential() returns uuid language sql stable parallel safe
  return nullif(current_setting('svc.credential', true), '')::uuid;

-- The second wall. The tenant of the connection is set by the authentication query; the nil UUID stands for account rows.
-- Not as a sub-select: PostgreSQL walks the whole query tree of a cached plan for sub-selects at each execution.
create procedure protect_tenant(target regclass, privileges text) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('create policy tenant on %s to svc_app using (workspace_id = current_workspace())', target);
  execute format('grant %s on %s to svc_app', privileges, target);
end $$;

call protect_tenant('actors', 'select, insert, update');
call protect_tenant('idempotency_keys', 'select, insert');
call protect_tenant('domain_events', 'select, insert');
call protect_tenant('audit_log', 'select, insert');
