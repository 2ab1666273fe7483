-- Projects, their Statuses, Tasks and Comments.

create table projects (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  key text not null,
  name text not null,
  description_markdown text not null default '',
  visibility text not null default 'workspace' check (visibility in ('workspace', 'private')),
  state_id uuid,
  icon text,
  color text,
  start_date date,
  target_date date,
  public_id text,
  archived_at timestamptz,
  created_by_actor_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, created_by_actor_id) references actors,
  constraint projects_key_taken unique (workspace_id, key),
  constraint projects_dates check (start_date <= target_date)
);

create table project_members (
  workspace_id uuid not null,
  project_id uuid not null,
  actor_id uuid not null,
  role text not null check (role in ('lead', 'member', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (workspace_id, project_id, actor_id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, actor_id) references actors
);
create index project_members_of_actor on project_members (workspace_id, actor_id, project_id);

-- The next Task number of each Project, apart from the Project so that creating a Task neither rewrites nor blocks it.
create table task_counters (
  workspace_id uuid not null,
  project_id uuid not null,
  last_number bigint not null default 0,
  primary key (workspace_id, project_id),
  foreign key (workspace_id, project_id) references projects
) with (fillfactor = 50);

create table statuses (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  project_id uuid,
  name text not null,
  category text not null check (category in ('backlog', 'unstarted', 'started', 'completed', 'cancelled')),
  category_rank smallint not null generated always as (array_position(array['backlog', 'unstarted', 'started', 'completed', 'cancelled'], category)) stored,
  color text,
  position integer not null,
  review boolean not null default false,
  archived_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects
);
create index statuses_in_order on statuses (workspace_id, project_id, category_rank, position, id) where archived_at is null;
create unique index statuses_name_taken on statuses (workspace_id, project_id, lower(name)) nulls not distinct where archived_at is null;

create table tasks (
  workspace_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  number bigint not null,
  title text not null,
  description_markdown text not null default '',
  priority text not null default 'none' check (priority in ('none', 'low', 'medium', 'high', 'urgent')),
  status_id uuid not null,
  assignee_actor_id uuid,
  milestone_id uuid,
  label_ids uuid[] not null default '{}',
  start_date date,
  due_date date,
  position double precision not null,
  created_by_actor_id uuid not null,
  started_at timestamptz,
  completed_at timestamptz,
  trashed_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, status_id) references statuses,
  foreign key (workspace_id, assignee_actor_id) references actors,
  foreign key (workspace_id, created_by_actor_id) references actors,
  constraint tasks_number unique (workspace_id, project_id, number),
  constraint tasks_dates check (start_date <= due_date)
);
create index tasks_of_status on tasks (workspace_id, project_id, status_id, number desc) where trashed_at is null;
create index tasks_of_assignee on tasks (workspace_id, project_id, assignee_actor_id, number desc)
  where trashed_at is null and assignee_actor_id is not null;
create index tasks_of_assignee_and_status on tasks (workspace_id, project_id, assignee_actor_id, status_id, number desc)
  where trashed_at is null and assignee_actor_id is not null;

-- An assignment is closed, never erased.
create table task_assignments (
  workspace_id uuid not null,
  id uuid not null,
  task_id uuid not null,
  actor_id uuid not null,
  assigned_by_actor_id uuid not null,
  assigned_at timestamptz not null default now(),
  closed_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks,
  foreign key (workspace_id, actor_id) references actors
);
create unique index task_assignments_open on task_assignments (workspace_id, task_id) where closed_at is null;

-- The text that each change of a description replaced.
create table task_description_revisions (
  workspace_id uuid not null,
  task_id uuid not null,
  revision bigint not null,
  description_markdown text not null,
  replaced_by_actor_id uuid not null,
  replaced_at timestamptz not null default now(),
  primary key (workspace_id, task_id, revision),
  foreign key (workspace_id, task_id) references tasks
);

create table comments (
  workspace_id uuid not null,
  id uuid not null,
  task_id uuid not null,
  author_actor_id uuid not null,
  markdown text not null,
  deleted_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks,
  foreign key (workspace_id, author_actor_id) references actors,
  constraint comments_tombstone check (deleted_at is null or markdown = '')
);
-- Creation order by the database's clock: ids of two instances whose clocks differ would put an answer before its question.
create index comments_of_task on comments (workspace_id, task_id, created_at, id);

-- The text that each edit replaced, until the comment is deleted.
create table comment_revisions (
  workspace_id uuid not null,
  comment_id uuid not null,
  revision bigint not null,
  markdown text not null,
  replaced_at timestamptz not null default now(),
  primary key (workspace_id, comment_id, revision),
  foreign key (workspace_id, comment_id) references comments
);

create table comment_reactions (
  workspace_id uuid not null,
  comment_id uuid not null,
  reaction text not null,
  actor_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, comment_id, reaction, actor_id),
  foreign key (workspace_id, comment_id) references comments,
  foreign key (workspace_id, actor_id) references actors
);

call protect_tenant('projects', 'select, insert, update');
call protect_tenant('project_members', 'select, insert, update, delete');
call protect_tenant('task_counters', 'select, insert, update');
call protect_tenant('statuses', 'select, insert, update');
call protect_tenant('tasks', 'select, insert, update, delete');
call protect_tenant('task_assignments', 'select, insert, update');
call protect_tenant('task_description_revisions', 'select, insert');
call protect_tenant('comments', 'select, insert, update');
call protect_tenant('comment_revisions', 'select, insert, delete');
call protect_tenant('comment_reactions', 'select, insert, delete');
