-- Files that people upload: one row for each, from its reservation until its objects in storage are gone.

-- What is stored lies under attachments/{workspace_id}/{id}/: nothing is there without a row, so whatever crashes, the sweep finds it.
-- A deleted row stays until no URL for its upload works any more.
create table attachments (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  state text not null default 'reserved' check (state in ('reserved', 'stored', 'deleted')),
  filename text not null,
  content_type text not null,
  size bigint not null check (size > 0),
  sha256 bytea not null check (length(sha256) = 32),
  scan_state text not null default 'pending' check (scan_state in ('pending', 'clean', 'infected', 'not_scanned', 'failed')),
  has_thumbnail boolean not null default false,
  undrawable boolean not null default false, -- there will be no thumbnail: what one cannot draw is not shown in place either
  uploaded_by_actor_id uuid not null,
  expires_at timestamptz not null, -- of the reservation
  completed_at timestamptz,
  attached_at timestamptz, -- set for good: what was attached to something that is gone is seen by nobody
  task_id uuid,
  task_project_id uuid, -- where the Task is, for the list over all Tasks of a Project
  project_id uuid, -- where it is attached to the Project itself
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, uploaded_by_actor_id) references actors,
  foreign key (workspace_id, task_id) references tasks on delete set null (task_id),
  foreign key (workspace_id, project_id) references projects,
  constraint attachments_one_target check (task_id is null or project_id is null),
  constraint attachments_of_project_of_task check (task_id is null or task_project_id is not null),
  constraint attachments_attached check ((task_id is null and project_id is null) or attached_at is not null),
  constraint attachments_completed check (state <> 'stored' or completed_at is not null)
);
create index attachments_of_task on attachments (workspace_id, task_id, attached_at desc, id desc) where task_id is not null;
create index attachments_of_project on attachments (workspace_id, project_id, attached_at desc, id desc) where project_id is not null;
create index attachments_of_tasks_of_project on attachments (workspace_id, task_project_id, attached_at desc, id desc) where task_id is not null;
-- What somebody may have only so much of: all that takes up storage and is attached to nothing.
create index attachments_of_uploader on attachments (workspace_id, uploaded_by_actor_id) where state <> 'stored' or attached_at is null;
-- For the sweep, which reads it whole, across all Workspaces: what is reserved, deleted or attached to nothing.
create index attachments_loose on attachments (workspace_id, state, expires_at) where task_id is null and project_id is null;
-- What still waits for the scanner, for the sweep.
create index attachments_unscanned on attachments (workspace_id, completed_at) where state = 'stored' and scan_state = 'pending';

-- A Task takes its attachments along when it moves. Only a statement that sets project_id comes here.
create function attachments_follow_task() returns trigger language plpgsql as $$
begin
  update attachments set task_project_id = new.project_id where workspace_id = new.workspace_id and task_id = new.id;
  return null;
end $$;
create trigger attachments_follow_task after update of project_id on tasks
  for each row when (old.project_id <> new.project_id) execute function attachments_follow_task();

call protect_tenant('attachments', 'select, insert, update');
