-- Integrations: what a Workspace is connected with, what of it belongs to which Project, what came in from there and what was done there. Decision 0180.

-- One connection of the Workspace with an account at a provider. Removed ones stay, so that what they brought keeps its source.
create table integration_installations (
  workspace_id uuid not null,
  id uuid not null,
  provider_key text not null,
  base_url text not null default '', -- of a provider that people host themselves; empty: the one that the operator has configured
  external_id text not null, -- of the account, organisation or team at the provider
  account_name text not null,
  management_url text,
  state text not null default 'active' check (state in ('active', 'degraded', 'revoked')),
  error_code text, -- why it is not active
  actor_id uuid not null, -- as which it acts where nobody else does
  sealed_credential text, -- tokens; null once it is revoked
  credential_expires_at timestamptz,
  refreshing_until timestamptz, -- somebody is getting new tokens: nobody else does until then
  sealed_secret text, -- with which deliveries are signed, where the installation has its own
  declared jsonb not null default '{}', -- what a private connector says of itself
  installed_by_actor_id uuid not null,
  checked_at timestamptz, -- when the provider last answered well
  refreshed_at timestamptz, -- when its resources were last listed
  removed_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, actor_id) references actors,
  foreign key (workspace_id, installed_by_actor_id) references actors
);
create index integration_installations_newest on integration_installations (workspace_id, id desc) where removed_at is null;
create unique index integration_installations_once on integration_installations (workspace_id, provider_key, base_url, external_id) where removed_at is null;
create index integration_installations_account on integration_installations (provider_key, base_url, external_id) where removed_at is null;
create index integration_installations_id on integration_installations (id) where removed_at is null;

-- What a Project can be bound to: repositories, channels, projects of an error tracker, files.
create table integration_resources (
  workspace_id uuid not null,
  id uuid not null,
  installation_id uuid not null,
  external_id text not null,
  kind text not null,
  name text not null,
  url text,
  listed boolean not null default true, -- false: the provider lists it no more
  hook_external_id text, -- of the webhook that was registered at the provider for it, while a Project is bound to it
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, installation_id) references integration_installations,
  constraint integration_resources_once unique (workspace_id, installation_id, external_id)
);
create index integration_resources_by_name on integration_resources (workspace_id, installation_id, lower(name), id) where listed;

create table integration_bindings (
  workspace_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  installation_id uuid not null,
  resource_id uuid not null,
  rules jsonb not null default '{}',
  created_by_actor_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects on delete cascade,
  foreign key (workspace_id, installation_id) references integration_installations,
  foreign key (workspace_id, resource_id) references integration_resources,
  foreign key (workspace_id, created_by_actor_id) references actors,
  constraint integration_bindings_once unique (workspace_id, project_id, resource_id)
);
create index integration_bindings_of_project on integration_bindings (workspace_id, project_id, id desc);
create index integration_bindings_of_resource on integration_bindings (workspace_id, resource_id, id);
create index integration_bindings_of_installation on integration_bindings (workspace_id, installation_id, id);

create table integration_subscriptions (
  workspace_id uuid not null,
  id uuid not null,
  binding_id uuid not null,
  event_kinds text[] not null,
  enabled boolean not null default true,
  created_by_actor_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, binding_id) references integration_bindings on delete cascade,
  foreign key (workspace_id, created_by_actor_id) references actors
);
create index integration_subscriptions_of_binding on integration_subscriptions (workspace_id, binding_id, id);

-- Members ask the admins for a provider; connecting it closes what was asked.
create table integration_requests (
  workspace_id uuid not null,
  id uuid not null,
  provider_key text not null,
  note text not null,
  state text not null default 'open' check (state in ('open', 'closed')),
  requested_by_actor_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, requested_by_actor_id) references actors
);
create unique index integration_requests_once on integration_requests (workspace_id, provider_key, requested_by_actor_id) where state = 'open';

-- What a provider sent. Stored by the commit that answers it, worked in the order in which it came for each lane: a resource of an installation.
create table integration_deliveries (
  workspace_id uuid not null,
  id uuid not null,
  number bigint generated always as identity,
  installation_id uuid not null,
  delivery_key text not null, -- the provider's id of it, or the digest of its body
  lane text not null,
  kind text not null, -- as the provider calls it
  body bytea, -- null once it is worked and a week old
  state text not null default 'waiting' check (state in ('waiting', 'done', 'ignored', 'failed')),
  attempts integer not null default 0,
  error_code text,
  tx xid8 not null default pg_current_xact_id(), -- in which order they came: nothing older than the oldest that is open can still appear
  leased_until timestamptz, -- nobody else takes it before: somebody is at it, or it waits after a failure
  received_at timestamptz not null default now(),
  worked_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, installation_id) references integration_installations,
  constraint integration_deliveries_once unique (workspace_id, installation_id, delivery_key)
);
create index integration_deliveries_waiting on integration_deliveries (workspace_id, installation_id, lane, tx, number) where state = 'waiting';
create index integration_deliveries_newest on integration_deliveries (workspace_id, installation_id, number desc);
create index integration_deliveries_received on integration_deliveries using brin (received_at);

-- What stands at a Task: branches, commits, pull requests, errors, messages, frames.
create table rich_entities (
  workspace_id uuid not null,
  id uuid not null,
  task_id uuid not null,
  installation_id uuid not null,
  resource_id uuid,
  provider_key text not null,
  kind text not null,
  external_id text not null,
  title text not null,
  url text not null,
  state text not null,
  checks text check (checks in ('pending', 'passing', 'failing')),
  author_name text,
  changed_at timestamptz not null default now(), -- at the provider: what is older never replaces what is newer
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks on delete cascade,
  foreign key (workspace_id, installation_id) references integration_installations,
  foreign key (workspace_id, resource_id) references integration_resources,
  constraint rich_entities_once unique (workspace_id, task_id, installation_id, kind, external_id)
);
create index rich_entities_of_task on rich_entities (workspace_id, task_id, id);
create index rich_entities_of_source on rich_entities (workspace_id, installation_id, kind, external_id);

-- A comment that stands on both sides, so that neither side's comes back to it.
create table integration_comments (
  workspace_id uuid not null,
  installation_id uuid not null,
  external_id text not null,
  comment_id uuid not null,
  primary key (workspace_id, installation_id, external_id),
  foreign key (workspace_id, installation_id) references integration_installations,
  foreign key (workspace_id, comment_id) references comments on delete cascade
);
create index integration_comments_of_comment on integration_comments (workspace_id, comment_id);

-- What is done at a provider: because somebody asked for it, or because of what happened here.
create table integration_actions (
  workspace_id uuid not null,
  id uuid not null,
  installation_id uuid not null,
  resource_id uuid not null,
  action text not null,
  sealed_input text, -- null once it has ended
  state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed', 'unknown')),
  cause text, -- the event that led to it; null: somebody asked
  receipt_id uuid, -- of the command that asked for it
  external_id text, -- of what it made
  url text,
  error_code text,
  attempts integer not null default 0,
  not_before timestamptz not null default now(),
  requested_by_actor_id uuid,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, installation_id) references integration_installations,
  foreign key (workspace_id, resource_id) references integration_resources,
  foreign key (workspace_id, requested_by_actor_id) references actors,
  constraint integration_actions_once unique (workspace_id, installation_id, cause, action)
);
create index integration_actions_open on integration_actions (workspace_id, installation_id, id) where state in ('queued', 'running');
create index integration_actions_ended on integration_actions using brin (created_at);

call protect_tenant('integration_installations', 'select, insert, update');
call protect_tenant('integration_resources', 'select, insert, update');
call protect_tenant('integration_bindings', 'select, insert, update, delete');
call protect_tenant('integration_subscriptions', 'select, insert, update, delete');
call protect_tenant('integration_requests', 'select, insert, update');
call protect_tenant('integration_deliveries', 'select, insert, update');
call protect_tenant('rich_entities', 'select, insert, update, delete');
call protect_tenant('integration_comments', 'select, insert');
call protect_tenant('integration_actions', 'select, insert, update');

-- Who somebody is at a provider, of their account and not of a Workspace: linked by a round trip through the provider and by nothing else.
create table integration_identities (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  provider_key text not null,
  base_url text not null default '',
  external_id text not null,
  name text not null,
  created_at timestamptz not null default now(),
  constraint integration_identities_once unique (provider_key, base_url, external_id)
);
create unique index integration_identities_of_user on integration_identities (user_id, provider_key, base_url);
grant select, insert, update, delete on integration_identities to svc_app;

-- A delivery names an installation before any Workspace is known: by our id, or by the account at the provider, which several Workspaces may be connected with.
create function integration_reached(provider text, installation uuid) returns table (workspace_id uuid, id uuid, base_url text, external_id text, state text, sealed_secret text)
language sql stable security definer set search_path = public, pg_temp as $$
  select i.workspace_id, i.id, i.base_url, i.external_id, i.state, i.sealed_secret from integration_installations i join workspaces w on w.id = i.workspace_id
  where i.provider_key = provider and i.id = installation and i.removed_at is null and w.archived_at is null
$$;
create function integration_reached_by(provider text, base text, account text) returns table (workspace_id uuid, id uuid, base_url text, external_id text, state text, sealed_secret text)
language sql stable security definer set search_path = public, pg_temp as $$
  select i.workspace_id, i.id, i.base_url, i.external_id, i.state, i.sealed_secret from integration_installations i join workspaces w on w.id = i.workspace_id
  where i.provider_key = provider and i.base_url = base and i.external_id = account and i.removed_at is null and w.archived_at is null limit 100
$$;
revoke all on function integration_reached, integration_reached_by from public;
grant execute on function integration_reached, integration_reached_by to svc_app;
