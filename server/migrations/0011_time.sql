-- Time that people record on Tasks.

-- Without a row: tracked, and exactly, at revision zero.
create table time_tracking_policies (
  workspace_id uuid primary key references workspaces,
  enabled boolean not null,
  rounding_mode text not null check (rounding_mode in ('exact', 'ceil_15_minutes', 'ceil_30_minutes')),
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The Project is that of the Task when the time was recorded, and stays. The Task is named without a foreign key: one that is deleted for
-- good leaves its time to the Project and to the people's timesheets.
create table time_entries (
  workspace_id uuid not null,
  id uuid not null,
  task_id uuid not null,
  project_id uuid not null,
  actor_id uuid not null,
  work_date date not null,
  recorded_seconds integer not null check (recorded_seconds >= 1),
  rounding_mode text not null check (rounding_mode in ('exact', 'ceil_15_minutes', 'ceil_30_minutes')),
  seconds integer not null,
  note text,
  voided_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, actor_id) references actors,
  constraint time_entries_seconds check (seconds between recorded_seconds and 86400)
);
create index time_entries_of_task on time_entries (workspace_id, task_id, id) where voided_at is null;
-- A report adds up a range of days without a look at the entries themselves.
create index time_entries_of_actor on time_entries (workspace_id, actor_id, work_date, id) include (seconds) where voided_at is null;
create index time_entries_of_project on time_entries (workspace_id, project_id, work_date, task_id, actor_id) include (seconds)
  where voided_at is null;
create index time_entries_of_project_and_task on time_entries (workspace_id, project_id, task_id, id);

-- How often the time on a Task, in a Project or of a person has changed. A continuation names the number that it began with; taken from
-- the entries' clocks, a write that commits late would go unnoticed.
create table time_reports (
  workspace_id uuid not null references workspaces,
  subject_id uuid not null,
  revision bigint not null default 1,
  primary key (workspace_id, subject_id)
) with (fillfactor = 50);

-- ISO 8601, in hours, minutes and seconds only: a day of work has no fixed length.
create function iso_duration(seconds bigint) returns text language sql immutable parallel safe
  return 'PT' || case when seconds = 0 then '0S' else '' end
    || case when seconds >= 3600 then seconds / 3600 || 'H' else '' end
    || case when seconds % 3600 >= 60 then seconds % 3600 / 60 || 'M' else '' end
    || case when seconds % 60 > 0 then seconds % 60 || 'S' else '' end;

call protect_tenant('time_tracking_policies', 'select, insert, update');
call protect_tenant('time_entries', 'select, insert, update');
call protect_tenant('time_reports', 'select, insert, update');
