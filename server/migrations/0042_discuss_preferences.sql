-- How Discuss treats one member of a Workspace. Decision 0166.
create table discuss_preferences (
  workspace_id uuid not null,
  actor_id uuid not null,
  timezone text not null check (length(timezone) between 1 and 100),
  follow_account_timezone boolean not null,
  opt_in boolean not null,
  revision bigint not null default 1,
  updated_at timestamptz not null default now(),
  primary key (workspace_id, actor_id),
  foreign key (workspace_id, actor_id) references actors
);
call protect_tenant('discuss_preferences', 'select, insert, update');
