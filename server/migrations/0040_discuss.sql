-- Discuss: the private conversation of a membership, the runs that answer it, and what they ask a person. Decision 0162.
-- Whoever changes a message takes the next number of its stream first, so that changes are committed in their order.
create table discuss_streams (
  workspace_id uuid not null,
  actor_id uuid not null,
  sequence bigint not null default 0, -- of the last message
  change_sequence bigint not null default 0, -- of the last change
  read_sequence bigint not null default 0, -- up to which it was read
  primary key (workspace_id, actor_id),
  foreign key (workspace_id, actor_id) references actors
);

create table discuss_messages (
  workspace_id uuid not null,
  id uuid not null,
  actor_id uuid not null,
  sequence bigint not null,
  change_sequence bigint not null,
  created_change bigint not null, -- the change that it came with
  turn_id uuid not null,
  role text not null check (role in ('user', 'assistant')),
  content text not null,
  parts jsonb not null default '[]' check (jsonb_array_length(parts) <= 20),
  file_ids uuid[] not null default '{}' check (cardinality(file_ids) <= 5),
  run_id uuid, -- of an answer
  generation_state text check (generation_state in ('queued', 'running', 'cancel_requested', 'completed', 'failed')),
  generation_error text, -- a code
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, actor_id) references discuss_streams on delete cascade,
  constraint discuss_messages_generated check ((run_id is null) = (generation_state is null))
);
create unique index discuss_messages_in_order on discuss_messages (workspace_id, actor_id, sequence);
create unique index discuss_messages_changed on discuss_messages (workspace_id, actor_id, change_sequence);
create index discuss_messages_of_turn on discuss_messages (workspace_id, turn_id, sequence);

-- A run makes one answer. It belongs to whichever process has the lease, and what a process with an older fence writes is refused.
create table discuss_runs (
  workspace_id uuid not null,
  id uuid not null,
  actor_id uuid not null,
  message_id uuid not null,
  sequence bigint not null, -- of the message: runs are made in this order
  state text not null check (state in ('queued', 'running', 'cancel_requested', 'completed', 'failed')),
  credential_id uuid not null, -- that it was queued with: it ends with it
  credential_kind text not null,
  input jsonb not null, -- what was asked beside the words: identities and versions
  fence integer not null default 0,
  lease_until timestamptz,
  steps integer not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  read_others boolean not null default false, -- it has read what others wrote
  events integer not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, actor_id) references discuss_streams on delete cascade
);
create index discuss_runs_of_actor on discuss_runs (workspace_id, actor_id, sequence);
create index discuss_runs_open on discuss_runs (workspace_id, actor_id, sequence) where state in ('queued', 'running', 'cancel_requested');

-- What a run does, written before it is done: sealed, and erased after seven days.
create table discuss_steps (
  workspace_id uuid not null,
  run_id uuid not null,
  number integer not null,
  kind text not null check (kind in ('model', 'tool')),
  asked text not null,
  answered text, -- none: it was begun, and nobody knows what became of it
  created_at timestamptz not null default now(),
  primary key (workspace_id, run_id, number),
  foreign key (workspace_id, run_id) references discuss_runs on delete cascade
);
create index discuss_steps_created on discuss_steps (created_at);

create table discuss_run_events (
  workspace_id uuid not null,
  run_id uuid not null,
  sequence integer not null,
  type text not null,
  part_id uuid,
  data jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (workspace_id, run_id, sequence),
  foreign key (workspace_id, run_id) references discuss_runs on delete cascade
);

create table discuss_interactions (
  workspace_id uuid not null,
  id uuid not null,
  actor_id uuid not null,
  message_id uuid not null,
  message_revision bigint, -- with which it was asked; none while the answer is still written
  kind text not null check (kind in ('approval', 'ambiguity', 'stale_action', 'recovery')),
  version integer not null default 1,
  input text not null, -- sealed: what follows from which choice
  change_set_id uuid,
  change_set_version integer,
  digest text,
  decision text,
  choice_id text,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, actor_id) references discuss_streams on delete cascade,
  foreign key (workspace_id, message_id) references discuss_messages on delete cascade
);
create index discuss_interactions_of_message on discuss_interactions (workspace_id, message_id);
create index discuss_interactions_of_actor on discuss_interactions (workspace_id, actor_id);

call protect_tenant('discuss_streams', 'select, insert, update');
call protect_tenant('discuss_messages', 'select, insert, update');
call protect_tenant('discuss_runs', 'select, insert, update');
call protect_tenant('discuss_steps', 'select, insert, update');
call protect_tenant('discuss_run_events', 'select, insert');
call protect_tenant('discuss_interactions', 'select, insert, update');

-- The first open run of each stream that nobody is at work on.
create function due_discuss_runs(most integer) returns table (workspace_id uuid, id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select r.workspace_id, r.id from (
    select distinct on (o.workspace_id, o.actor_id) o.workspace_id, o.id, o.lease_until, o.created_at from discuss_runs o
    where o.state in ('queued', 'running', 'cancel_requested') order by o.workspace_id, o.actor_id, o.sequence
  ) r where r.lease_until is null or r.lease_until < now() order by r.created_at limit most
$$;
revoke all on function due_discuss_runs from public;
grant execute on function due_discuss_runs to svc_app;

-- The conversation goes with the membership.
create function forget_discuss() returns trigger language plpgsql security definer set search_path = public as $$
begin
  delete from discuss_streams where workspace_id = new.workspace_id and actor_id = new.actor_id;
  return null;
end $$;
