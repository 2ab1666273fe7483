-- Drafts of what a Document shall say, and ChangeSets: what somebody would change, reviewed and then done at once. Each is its author's own.
-- Decisions 0129 and 0130.

create table document_patches (
  workspace_id uuid not null,
  id uuid not null,
  document_id uuid not null,
  actor_id uuid not null, -- whose it is
  version integer not null, -- the newest
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, document_id) references documents on delete cascade,
  foreign key (workspace_id, actor_id) references actors
);
create index document_patches_of on document_patches (workspace_id, document_id);
create index document_patches_of_actor on document_patches (workspace_id, actor_id);
call protect_tenant('document_patches', 'select, insert, update (version)');

create table document_patch_versions (
  workspace_id uuid not null,
  patch_id uuid not null,
  version integer not null,
  base_revision bigint not null, -- of the content
  edits jsonb not null,
  -- What the Document would say, in its three forms, and how that differs from what it said.
  content jsonb not null,
  markdown text not null,
  text text not null,
  blocks jsonb not null,
  markdown_diff text not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, patch_id, version),
  foreign key (workspace_id, patch_id) references document_patches on delete cascade
);
call protect_tenant('document_patch_versions', 'select, insert');

create table change_sets (
  workspace_id uuid not null,
  id uuid not null,
  initiator_actor_id uuid not null,
  version integer not null, -- the newest
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint change_sets_of_initiator unique (workspace_id, id, initiator_actor_id),
  foreign key (workspace_id, initiator_actor_id) references actors
);
create index change_sets_of_actor on change_sets (workspace_id, initiator_actor_id);
call protect_tenant('change_sets', 'select, insert, update (version)');

-- What was proposed, and what came of trying it. Neither ever changes: the application's role can only add.
create table change_set_versions (
  workspace_id uuid not null,
  change_set_id uuid not null,
  version integer not null,
  digest bytea not null check (length(digest) = 32),
  title text not null,
  reason text,
  changes jsonb not null, -- as they were sent
  outcomes jsonb not null, -- of each: before, after, effects, refusal
  evidence jsonb not null,
  refused boolean not null, -- some of it
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (workspace_id, change_set_id, version),
  constraint change_set_versions_digest unique (workspace_id, change_set_id, version, digest),
  foreign key (workspace_id, change_set_id) references change_sets
);
call protect_tenant('change_set_versions', 'select, insert');

-- A decision is about one digest, and its initiator's: another one has nothing to refer to. An approval may be taken back by a rejection, which is final.
create table change_set_reviews (
  workspace_id uuid not null,
  change_set_id uuid not null,
  version integer not null,
  decision text not null check (decision in ('approve', 'reject')),
  digest bytea not null,
  actor_id uuid not null,
  credential_id uuid not null, -- the session; no reference, because sessions are swept
  created_at timestamptz not null default now(),
  primary key (workspace_id, change_set_id, version, decision),
  constraint change_set_reviews_digest unique (workspace_id, change_set_id, version, digest, decision),
  foreign key (workspace_id, change_set_id, version, digest) references change_set_versions (workspace_id, change_set_id, version, digest),
  foreign key (workspace_id, change_set_id, actor_id) references change_sets (workspace_id, id, initiator_actor_id)
);
call protect_tenant('change_set_reviews', 'select');

-- The one way to a decision: of the newest version, by its initiator, who is a person and an active member, in a session of a browser. The application's role cannot
-- write one in any other way. No row where any of that does not hold.
create function review_change_set(reviewed uuid, reviewed_version integer, reviewed_digest bytea, decided text) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  insert into change_set_reviews (workspace_id, change_set_id, version, decision, digest, actor_id, credential_id)
  select s.workspace_id, s.id, s.version, decided, v.digest, m.actor_id, c.id
  from change_sets s
  join change_set_versions v on v.workspace_id = s.workspace_id and v.change_set_id = s.id and v.version = s.version
  join memberships m on m.workspace_id = s.workspace_id and m.actor_id = s.initiator_actor_id and m.state = 'active'
  join credentials c on c.id = current_credential() and c.user_id = m.user_id and c.kind = 'session' and c.revoked_at is null and c.expires_at > now()
  where s.workspace_id = current_workspace() and s.id = reviewed and s.version = reviewed_version and v.digest = reviewed_digest
    and s.initiator_actor_id = current_actor() and (decided = 'reject' or v.expires_at > now() and not v.refused)
  returning true
$$;
revoke all on function review_change_set from public;
grant execute on function review_change_set to svc_app;

-- What was done, once, and only where that very digest was approved.
create table change_set_applications (
  workspace_id uuid not null,
  change_set_id uuid not null,
  version integer not null,
  digest bytea not null,
  decision text not null default 'approve' check (decision = 'approve'),
  command_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, change_set_id),
  foreign key (workspace_id, change_set_id, version, digest, decision) references change_set_reviews (workspace_id, change_set_id, version, digest, decision)
);
call protect_tenant('change_set_applications', 'select, insert');
