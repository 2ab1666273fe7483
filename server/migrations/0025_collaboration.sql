-- Texts that people write together: a Task's description, or the content of a Document.

-- Made when a text is first opened for editing, and kept from then on: a browser that was away for long merges with this state and with no other.
-- `state` is what the Task or Document says in the version that `sealed_as` names; updates behind state_seq are not written down there yet.
create table collaboration_texts (
  workspace_id uuid not null,
  task_id uuid,
  document_id uuid,
  target_id uuid not null generated always as (coalesce(task_id, document_id)) stored,
  state bytea not null, -- a Yjs update that holds all of it
  state_seq bigint not null default 0,
  last_seq bigint not null default 0,
  sealed_as text not null, -- the revision of a Document's content, or the hash of a description
  unsealed_since timestamptz, -- of the first update that is not written down
  changed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (workspace_id, target_id),
  foreign key (workspace_id, task_id) references tasks on delete cascade,
  foreign key (workspace_id, document_id) references documents on delete cascade,
  constraint collaboration_texts_one_target check (num_nonnulls(task_id, document_id) = 1)
) with (fillfactor = 70);
create index collaboration_texts_of_task on collaboration_texts (workspace_id, task_id) where task_id is not null;
create index collaboration_texts_of_document on collaboration_texts (workspace_id, document_id) where document_id is not null;
create index collaboration_texts_unsealed on collaboration_texts (workspace_id, target_id) where unsealed_since is not null;

-- In the order of their commits: last_seq of the text is raised, and held until then, in the same transaction.
create table collaboration_updates (
  workspace_id uuid not null,
  target_id uuid not null,
  seq bigint not null,
  data bytea not null,
  actor_ids uuid[] not null, -- who has typed it; nobody where it came with a revision that names its author
  created_at timestamptz not null default now(),
  primary key (workspace_id, target_id, seq),
  foreign key (workspace_id, target_id) references collaboration_texts on delete cascade
);

-- What its token opens is asked again for as long as a socket lives.
create table collaboration_sessions (
  workspace_id uuid not null,
  id uuid not null,
  target_id uuid not null,
  actor_id uuid not null,
  credential_id uuid not null, -- no foreign key: what was revoked or is gone lets nobody in
  token_hash bytea not null,
  expires_at timestamptz not null, -- of the token; a socket that it has opened lives on
  ended_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, target_id) references collaboration_texts on delete cascade,
  foreign key (workspace_id, actor_id) references actors
);
create unique index collaboration_sessions_token on collaboration_sessions (workspace_id, token_hash);
create index collaboration_sessions_of_text on collaboration_sessions (workspace_id, target_id);
create index collaboration_sessions_of_actor on collaboration_sessions (workspace_id, actor_id);

call protect_tenant('collaboration_texts', 'select, insert, update');
call protect_tenant('collaboration_updates', 'select, insert, delete');
call protect_tenant('collaboration_sessions', 'select, insert, update');
