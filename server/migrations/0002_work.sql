-- The lifecycle that governs work, Projects, their Statuses and Milestones, Tasks and Comments.

-- One definition for each kind of entity. Its revision advances whenever a stage or what is bound to one changes.
create table lifecycle_definitions (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  kind text not null check (kind in ('task', 'project', 'milestone')),
  name text not null,
  default_state_id uuid, -- of kind project: where new Projects start
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint lifecycle_definitions_one_per_kind unique (workspace_id, kind)
);

-- A behavior is null where it does not apply to the kind.
create table lifecycle_stages (
  workspace_id uuid not null,
  id uuid not null,
  definition_id uuid not null,
  name text not null,
  category text not null check (category in ('backlog', 'unstarted', 'started', 'completed', 'cancelled')),
  color text,
  position integer not null,
  counts_as_completed boolean,
  counts_as_active boolean,
  awaits_review boolean,
  accepts_new_work boolean,
  hidden_by_default boolean,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, definition_id) references lifecycle_definitions,
  constraint lifecycle_stages_of_category unique (workspace_id, id, category)
);
create index lifecycle_stages_in_order on lifecycle_stages (workspace_id, definition_id, position, id);

create function category_rank(category text) returns smallint language sql immutable parallel safe
  return array_position(array['backlog', 'unstarted', 'started', 'completed', 'cancelled'], category);

-- What a Project is in, as a Task is in a Status. Both are bound to a stage of their kind, in its category.
create table project_states (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  stage_id uuid not null,
  name text not null,
  category text not null,
  category_rank smallint not null generated always as (category_rank(category)) stored,
  color text,
  position integer not null,
  archived_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, stage_id, category) references lifecycle_stages (workspace_id, id, category) on update cascade
);
create index project_states_in_order on project_states (workspace_id, category_rank, position, id) where archived_at is null;
create unique index project_states_name_taken on project_states (workspace_id, lower(name)) where archived_at is null;
create index project_states_of_stage on project_states (workspace_id, stage_id);

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
  label_ids uuid[] not null default '{}',
  public_id text, -- set while it is published; see publications
  position double precision not null, -- in the order that people have given the Workspace's Projects
  archived_at timestamptz,
  deleted_at timestamptz, -- nobody sees it any more; its key stays taken
  erased_at timestamptz, -- nothing of it is left but this row
  created_by_actor_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, created_by_actor_id) references actors,
  foreign key (workspace_id, state_id) references project_states,
  constraint projects_key_taken unique (workspace_id, key),
  constraint projects_dates check (start_date <= target_date),
  constraint projects_private check (public_id is null or visibility = 'workspace')
);
-- Not only of those that are there: a partial index would look to the planner as good as the primary key for finding one by id, and is not.
create index projects_in_order on projects (workspace_id, position, id);
create index projects_of_state on projects (workspace_id, state_id, id);
-- One for each list: those that everybody sees and the private ones are read apart.
create index projects_listed on projects (workspace_id, visibility, position, id) where deleted_at is null and archived_at is null;
create index projects_listed_by_key on projects (workspace_id, visibility, key) where deleted_at is null and archived_at is null;
create index projects_archived on projects (workspace_id, visibility, position, id) where deleted_at is null and archived_at is not null;
create index projects_archived_by_key on projects (workspace_id, visibility, key) where deleted_at is null and archived_at is not null;
create index projects_listed_of_state on projects (workspace_id, state_id, visibility, position, id);
create index projects_listed_of_state_by_key on projects (workspace_id, state_id, visibility, key);
create index projects_to_erase on projects (workspace_id, deleted_at) where deleted_at is not null and erased_at is null;

create table project_members (
  workspace_id uuid not null,
  project_id uuid not null,
  actor_id uuid not null,
  role text not null check (role in ('lead', 'member', 'viewer')),
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
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
  stage_id uuid not null,
  name text not null,
  category text not null,
  category_rank smallint not null generated always as (category_rank(category)) stored,
  color text,
  position integer not null,
  archived_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, stage_id, category) references lifecycle_stages (workspace_id, id, category) on update cascade
);
create index statuses_of_stage on statuses (workspace_id, stage_id);
create index statuses_in_order on statuses (workspace_id, project_id, category_rank, position, id) where archived_at is null;
create unique index statuses_name_taken on statuses (workspace_id, project_id, lower(name)) nulls not distinct where archived_at is null;

-- Where its Tasks go when they are started, reviewed and done; without a row: no review, and the first Status that fits.
create table project_completion_policies (
  workspace_id uuid not null,
  project_id uuid not null,
  review_required boolean not null,
  active_status_id uuid,
  review_status_id uuid,
  done_status_id uuid,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, project_id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, active_status_id) references statuses,
  foreign key (workspace_id, review_status_id) references statuses,
  foreign key (workspace_id, done_status_id) references statuses
);
create index project_completion_policies_active on project_completion_policies (workspace_id, active_status_id) where active_status_id is not null;
create index project_completion_policies_review on project_completion_policies (workspace_id, review_status_id) where review_status_id is not null;
create index project_completion_policies_done on project_completion_policies (workspace_id, done_status_id) where done_status_id is not null;

-- Numbered within their Project; a number is never used again. A Milestone is in a stage of the Milestone lifecycle itself; a deleted one
-- does not keep its stage from being removed.
create table milestones (
  workspace_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  number bigint not null,
  name text not null,
  description_markdown text not null default '',
  stage_id uuid,
  start_date date,
  target_date date,
  target_order date not null generated always as (coalesce(target_date, date 'infinity')) stored,
  deleted_at timestamptz,
  created_by_actor_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, stage_id) references lifecycle_stages on delete set null (stage_id),
  foreign key (workspace_id, created_by_actor_id) references actors,
  constraint milestones_number unique (workspace_id, project_id, number),
  constraint milestones_stage check (stage_id is not null or deleted_at is not null),
  constraint milestones_dates check (start_date <= target_date)
);
create index milestones_of_stage on milestones (workspace_id, stage_id, id);
create index milestones_in_order on milestones (workspace_id, project_id, target_order, number) where deleted_at is null;
create index milestones_of_stage_in_order on milestones (workspace_id, project_id, stage_id, target_order, number) where deleted_at is null;

create function priority_rank(priority text) returns smallint language sql immutable parallel safe
  return array_position(array['none', 'low', 'medium', 'high', 'urgent'], priority);

create table tasks (
  workspace_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  number bigint not null,
  title text not null,
  description_markdown text not null default '',
  priority text not null default 'none' check (priority in ('none', 'low', 'medium', 'high', 'urgent')),
  priority_rank smallint not null generated always as (priority_rank(priority)) stored,
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
  foreign key (workspace_id, milestone_id) references milestones,
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
-- Over all Projects and the trash: what a Status or Milestone that goes away must be taken out of.
create index tasks_in_status on tasks (workspace_id, status_id, id);
-- A Milestone's progress is counted in it without a look at the Tasks themselves.
create index tasks_of_milestone on tasks (workspace_id, milestone_id, status_id, number desc) where trashed_at is null and milestone_id is not null;
create index tasks_in_milestone on tasks (workspace_id, milestone_id, id) where milestone_id is not null;
create index tasks_of_milestone_by_number on tasks (workspace_id, milestone_id, number desc) where trashed_at is null and milestone_id is not null;
create index tasks_of_milestone_and_assignee on tasks (workspace_id, milestone_id, assignee_actor_id, number desc)
  where trashed_at is null and milestone_id is not null and assignee_actor_id is not null;

-- Moving everything out of some Statuses or states into others, in pages. One at a time in a Workspace.
create table lifecycle_migrations (
  workspace_id uuid not null,
  id uuid not null,
  definition_id uuid not null,
  state text not null check (state in ('pending', 'processing', 'retry', 'completed', 'failed')),
  mapping jsonb not null, -- source id -> destination id
  total bigint not null,
  moved bigint not null default 0,
  attempts integer not null default 0,
  error_code text,
  requested_by_actor_id uuid not null,
  requested_by_user_id uuid not null,
  source text not null, -- the kind of credential, as in the events
  finished_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, definition_id) references lifecycle_definitions
);
create unique index lifecycle_migrations_pending on lifecycle_migrations (workspace_id) where state in ('pending', 'processing', 'retry');

-- An assignment is closed, never erased; like the rest of what hangs on a Task it goes when the Task is deleted for ever.
create table task_assignments (
  workspace_id uuid not null,
  id uuid not null,
  task_id uuid not null,
  actor_id uuid not null,
  assigned_by_actor_id uuid not null,
  assigned_at timestamptz not null default now(),
  closed_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks on delete cascade,
  foreign key (workspace_id, actor_id) references actors
);
-- By the database's clock, and not in the order of their ids.
create index task_assignments_of_task on task_assignments (workspace_id, task_id, assigned_at, id);
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
  foreign key (workspace_id, task_id) references tasks on delete cascade
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
  foreign key (workspace_id, task_id) references tasks on delete cascade,
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
  foreign key (workspace_id, comment_id) references comments on delete cascade
);

create table comment_reactions (
  workspace_id uuid not null,
  comment_id uuid not null,
  reaction text not null,
  actor_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, comment_id, reaction, actor_id),
  foreign key (workspace_id, comment_id) references comments on delete cascade,
  foreign key (workspace_id, actor_id) references actors
);

call protect_tenant('lifecycle_definitions', 'select, insert, update');
call protect_tenant('lifecycle_stages', 'select, insert, update, delete');
call protect_tenant('lifecycle_migrations', 'select, insert, update');
call protect_tenant('project_states', 'select, insert, update, delete');
call protect_tenant('project_completion_policies', 'select, insert, update');
call protect_tenant('milestones', 'select, insert, update');
call protect_tenant('projects', 'select, insert, update');
call protect_tenant('project_members', 'select, insert, update, delete');
call protect_tenant('task_counters', 'select, insert, update');
call protect_tenant('statuses', 'select, insert, update, delete');
call protect_tenant('tasks', 'select, insert, update, delete');
call protect_tenant('task_assignments', 'select, insert, update');
call protect_tenant('task_description_revisions', 'select, insert');
call protect_tenant('comments', 'select, insert, update');
call protect_tenant('comment_revisions', 'select, insert, delete');
call protect_tenant('comment_reactions', 'select, insert, delete');
