-- What somebody works on now, and what they think of what the service suggests to them. Both are theirs alone.

-- Without a row, or without a Task: nobody has said anything. The row stays when it is taken back, so that its revision never goes back.
create table current_work (
  workspace_id uuid not null,
  actor_id uuid not null,
  task_id uuid,
  since timestamptz, -- says nothing without a Task
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, actor_id),
  foreign key (workspace_id, actor_id) references actors,
  foreign key (workspace_id, task_id) references tasks on delete set null (task_id)
);
create index current_work_of_task on current_work (workspace_id, task_id) where task_id is not null;
call protect_tenant('current_work', 'select, insert, update');

-- The subject is what was suggested for the Task: another Task, or the Task itself as what to work on.
create table suggestion_feedback (
  workspace_id uuid not null,
  actor_id uuid not null,
  task_id uuid not null,
  kind text not null check (kind in ('related_task', 'current_work')),
  subject_id uuid not null,
  verdict text not null check (verdict in ('helpful', 'not_helpful', 'dismissed')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, actor_id, task_id, kind, subject_id),
  foreign key (workspace_id, actor_id) references actors,
  foreign key (workspace_id, task_id) references tasks on delete cascade,
  foreign key (workspace_id, subject_id) references tasks on delete cascade
);
create index suggestion_feedback_of_task on suggestion_feedback (workspace_id, task_id);
create index suggestion_feedback_of_subject on suggestion_feedback (workspace_id, subject_id);
call protect_tenant('suggestion_feedback', 'select, insert, update');
