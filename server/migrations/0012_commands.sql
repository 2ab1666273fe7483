-- Commands that undo and redo others. What a command did is told by its audit row and its events.

-- A command that was undone, redone, undone again ... is a chain: the root is step 0 and has no row here, each further step takes back what the
-- one before it did. Only the last step of a chain can be taken back, and by one other.
create table command_steps (
  workspace_id uuid not null references workspaces,
  root_id uuid not null,
  step integer not null check (step > 0),
  command_id uuid not null,
  undoes_id uuid not null, -- the step before
  created_at timestamptz not null default now(),
  primary key (workspace_id, root_id, step),
  constraint command_steps_command unique (workspace_id, command_id)
);
call protect_tenant('command_steps', 'select, insert');

-- The events of a command have its id but for the last four digits, which count.
create function first_event_of(command uuid) returns uuid language sql immutable parallel safe
  return (left(command::text, 32) || '0000')::uuid;
create function last_event_of(command uuid) returns uuid language sql immutable parallel safe
  return (left(command::text, 32) || 'ffff')::uuid;
