-- How Tasks stand to each other, who follows them, and the names by which members are found.

-- Stored once, in one direction: from blocks to, from is the duplicate of to, from is the parent of to. Of relates_to, which has no direction,
-- one order is as good as the other. Both ends show it.
create table task_relations (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('blocks', 'relates_to', 'duplicates', 'parent_of')),
  from_task_id uuid not null,
  to_task_id uuid not null,
  created_by_actor_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, from_task_id) references tasks on delete cascade,
  foreign key (workspace_id, to_task_id) references tasks on delete cascade,
  foreign key (workspace_id, created_by_actor_id) references actors,
  constraint task_relations_ends check (from_task_id <> to_task_id)
);
create unique index task_relations_taken on task_relations
  (workspace_id, least(from_task_id, to_task_id), greatest(from_task_id, to_task_id), kind);
create unique index task_relations_one_parent on task_relations (workspace_id, to_task_id) where kind = 'parent_of';
create index task_relations_from on task_relations (workspace_id, from_task_id, id);
create index task_relations_to on task_relations (workspace_id, to_task_id, id);
-- Where the chain of what blocks what is followed.
create index task_relations_blocked on task_relations (workspace_id, from_task_id, to_task_id) where kind = 'blocks';
call protect_tenant('task_relations', 'select, insert, update, delete');

-- What somebody has decided about following a Task. Who follows it for what they do with it has no row here.
create table task_subscriptions (
  workspace_id uuid not null,
  task_id uuid not null,
  actor_id uuid not null,
  follows boolean, -- null: as it follows from what they do with it
  muted boolean not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, task_id, actor_id),
  foreign key (workspace_id, task_id) references tasks on delete cascade,
  foreign key (workspace_id, actor_id) references actors
);
create index task_subscriptions_followed on task_subscriptions (workspace_id, actor_id, task_id desc) where follows and not muted;
create index task_subscriptions_muted on task_subscriptions (workspace_id, actor_id, task_id desc) where muted;
call protect_tenant('task_subscriptions', 'select, insert, update');

-- The Tasks that somebody follows without having said so, newest first.
create index tasks_followed_by_creator on tasks (workspace_id, created_by_actor_id, id desc) where trashed_at is null;
create index tasks_followed_by_assignee on tasks (workspace_id, assignee_actor_id, id desc)
  where trashed_at is null and assignee_actor_id is not null;
-- Whoever has commented: the Tasks of one person, and the people of one Task.
create index comments_of_author on comments (workspace_id, author_actor_id, task_id desc) where deleted_at is null;
create index comments_authors on comments (workspace_id, task_id, author_actor_id) where deleted_at is null;

-- The names of the active members of each Workspace, in lower case and without accents: part 0 is the username, the others are the display
-- name from its first word on, from its second, and so on. users has no tenant: looked for there, a short beginning would find everybody of the whole service.
create table member_names (
  workspace_id uuid not null,
  actor_id uuid not null,
  part smallint not null,
  name text collate "C" not null,
  primary key (workspace_id, actor_id, part),
  foreign key (workspace_id, actor_id) references actors
);
create index member_names_username on member_names (workspace_id, name, actor_id) where part = 0;
create index member_names_display_name on member_names (workspace_id, name, actor_id) where part > 0;
call protect_tenant('member_names', 'select');

create function names_of(username text, display_name text) returns table (part smallint, name text) language sql immutable as $$
  select 0::smallint, lower(username)
  union all
  select n::smallint, lower(array_to_string(words[n:], ' '))
  from (select regexp_replace(normalize(display_name, NFKD), '[\u0300-\u036F]', '', 'g') as plain) folded,
    lateral (select regexp_split_to_array(btrim(plain), '\s+') as words) split, generate_series(1, least(cardinality(words), 8)) n
$$;
-- As the owner of the tables: somebody who is renamed may belong to many Workspaces, and who joins one is not yet in it. The account is shared,
-- so that a new name and a new membership do not miss each other.
create function name_member() returns trigger language plpgsql security definer set search_path = public as $$
declare account users;
begin
  delete from member_names where workspace_id = new.workspace_id and actor_id = new.actor_id;
  if new.state = 'active' then
    select * into account from users where id = new.user_id for share;
    insert into member_names select new.workspace_id, new.actor_id, n.part, n.name from names_of(account.username, account.display_name) n;
  end if;
  return null;
end $$;
create trigger memberships_name_member after insert or update of state, user_id on memberships
  for each row execute function name_member();
create function rename_member() returns trigger language plpgsql security definer set search_path = public as $$
begin
  delete from member_names x using memberships m
  where m.user_id = new.id and x.workspace_id = m.workspace_id and x.actor_id = m.actor_id;
  insert into member_names select m.workspace_id, m.actor_id, n.part, n.name
  from memberships m, names_of(new.username, new.display_name) n where m.user_id = new.id and m.state = 'active';
  return null;
end $$;
create trigger users_rename_member after update of username, display_name on users
  for each row when (old.username <> new.username or old.display_name <> new.display_name) execute function rename_member();
insert into member_names select m.workspace_id, m.actor_id, n.part, n.name
from memberships m join users u on u.id = m.user_id cross join names_of(u.username, u.display_name) n where m.state = 'active';
