-- Labels. What bears some keeps them in label_ids on its own row, in the order in which they were given: that is the truth, so that a Task
-- is read and written as before. From a label to what bears it leads label_assignments, which the database keeps itself from label_ids:
-- whoever creates, copies, moves or deletes a Task writes label_ids (or leaves it alone) and nothing else.
--
-- Tasks with a label, newest first: label_assignments a where a.workspace_id = $1 and a.label_id = $2 and a.target_kind = 'task'
-- order by a.target_id desc, joined to tasks. Which labels may stay when a Task comes into another Project: labels_in_project().

create table label_definitions (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  project_id uuid, -- null: for the whole Workspace
  name text not null,
  color text not null,
  description text,
  purpose text not null check (purpose in ('general', 'task', 'project', 'document')), -- what may bear it; general: anything
  deleted_at timestamptz, -- nobody sees it any more; what still bears it loses it within moments
  created_by_actor_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, created_by_actor_id) references actors
);
create unique index label_definitions_name_taken on label_definitions (workspace_id, project_id, lower(name)) nulls not distinct where deleted_at is null;
create index label_definitions_of_project on label_definitions (workspace_id, project_id, id);

-- How a label of the Workspace looks in one Project; null is as it is everywhere.
create table label_overrides (
  workspace_id uuid not null,
  project_id uuid not null,
  label_id uuid not null,
  name text,
  color text,
  hidden boolean not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, project_id, label_id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, label_id) references label_definitions on delete cascade
);
create index label_overrides_of_label on label_overrides (workspace_id, label_id, project_id);

create table label_assignments (
  workspace_id uuid not null,
  label_id uuid not null,
  target_kind text not null check (target_kind in ('task', 'project', 'document')),
  target_id uuid not null,
  primary key (workspace_id, label_id, target_kind, target_id),
  foreign key (workspace_id, label_id) references label_definitions on delete cascade
);

-- Of these labels, those that something of this kind in this Project may bear, in the same order.
create function labels_in_project(workspace uuid, label_ids uuid[], kind text, project uuid) returns uuid[] language sql stable parallel safe
  return array(
    select l.id from unnest(label_ids) with ordinality as given(id, place) join label_definitions l on l.workspace_id = workspace and l.id = given.id
    where l.deleted_at is null and l.purpose in ('general', kind) and (l.project_id is null or l.project_id = project)
    order by given.place);

-- The target's kind is the trigger's argument. Whoever adds a label holds it, and whoever deletes one locks it for update: either it is
-- added first and then taken off, or it is not added. A label that was deleted meanwhile is refused as a conflict of transactions: tried
-- again, the write finds that the label has gone.
create function keep_label_assignments() returns trigger language plpgsql as $$
declare
  before uuid[] := case when tg_op = 'INSERT' then '{}'::uuid[] else old.label_ids end;
  after uuid[] := case when tg_op = 'DELETE' then '{}'::uuid[] else new.label_ids end;
  added uuid[];
  held integer;
begin
  if not before <@ after then
    delete from label_assignments where workspace_id = old.workspace_id and label_id = any(before) and label_id <> all(after)
      and target_kind = tg_argv[0] and target_id = old.id;
  end if;
  if not after <@ before then
    added := array(select distinct id from unnest(after) id where id <> all(before));
    perform from label_definitions where workspace_id = new.workspace_id and id = any(added) and deleted_at is null order by id for key share;
    get diagnostics held = row_count;
    if held < cardinality(added) then
      raise serialization_failure using message = 'a label was deleted meanwhile';
    end if;
    insert into label_assignments (workspace_id, label_id, target_kind, target_id) select new.workspace_id, id, tg_argv[0], new.id from unnest(added) id;
  end if;
  return null;
end $$;

-- Asked only of rows that have labels, or whose labels are written: others pay nothing for them.
create trigger labels_given after insert on tasks for each row when (new.label_ids <> '{}') execute function keep_label_assignments('task');
create trigger labels_changed after update of label_ids on tasks for each row when (new.label_ids <> old.label_ids) execute function keep_label_assignments('task');
create trigger labels_gone after delete on tasks for each row when (old.label_ids <> '{}') execute function keep_label_assignments('task');
create trigger labels_changed after update of label_ids on projects for each row when (new.label_ids <> old.label_ids) execute function keep_label_assignments('project');

call protect_tenant('label_definitions', 'select, insert, update');
call protect_tenant('label_overrides', 'select, insert, update, delete');
call protect_tenant('label_assignments', 'select, insert, delete');
