-- What a Task leaves behind where it was before, and what goes with it when it is deleted for ever.

-- A Task that was moved to another Project is still found by the codes that it had.
create table task_codes (
  workspace_id uuid not null,
  project_id uuid not null,
  number bigint not null,
  task_id uuid not null,
  left_at timestamptz not null default now(),
  primary key (workspace_id, project_id, number),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, task_id) references tasks on delete cascade
);
create index task_codes_of_task on task_codes (workspace_id, task_id);
call protect_tenant('task_codes', 'select, insert');

-- Everything that happened to one Task, wherever it was at the time: what its feed shows, apart from what no feed shows. The feed must ask in
-- these words: CASE, because row-level security trusts it not to leak.
create index domain_events_of_task on domain_events
  (workspace_id, task_id, (case when activity is null then 0 else 1 end), occurred_at desc, id desc) where task_id is not null;

-- What is told of a Task that is deleted goes too, such as a title; that something happened to it stays, for those who see the Project that it
-- was in last, wherever it was at the time. As the owner of the tables: the application itself changes no event.
create function forget_task() returns trigger language plpgsql security definer set search_path = public as $$
begin
  update domain_events set payload = '{}', project_id = old.project_id
  where workspace_id = old.workspace_id and task_id = old.id and (payload <> '{}' or project_id <> old.project_id);
  return null;
end $$;
create trigger tasks_forget_task after delete on tasks for each row execute function forget_task();
