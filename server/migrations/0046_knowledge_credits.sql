-- What answers of a model cost, where a plan counts it: reserved before the model is asked, and settled once with what it took. Decision 0164.
create table knowledge_credits (
  workspace_id uuid primary key references workspaces,
  balance bigint not null default 0 check (balance >= 0) -- beside what is reserved
);
create table knowledge_credit_entries (
  workspace_id uuid not null references knowledge_credits,
  id uuid not null,
  state text not null check (state in ('reserved', 'settled', 'released')),
  reserved bigint not null check (reserved > 0),
  settled bigint check (settled between 0 and reserved),
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (workspace_id, id),
  constraint knowledge_credit_entries_ended check ((state = 'reserved') = (settled is null) and (settled is null) = (ended_at is null))
);
create index knowledge_credit_entries_open on knowledge_credit_entries (created_at) where state = 'reserved';
call protect_tenant('knowledge_credits', 'select, update');
call protect_tenant('knowledge_credit_entries', 'select, insert, update');
