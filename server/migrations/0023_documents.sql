-- Documents: a tree in a Workspace or in one of its Projects, where each one leads by its path, the revisions of its content, and what it links to.

-- A subtree is in one Project, or in none, and then every member sees it. `revision` counts changes of what is in this row, `content_revision` is the
-- newest row of document_revisions.
create table documents (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  project_id uuid,
  parent_id uuid,
  -- Whose children are in one order: of the parent, or at the top of the Project or of the Workspace.
  place_id uuid not null generated always as (coalesce(parent_id, project_id, workspace_id)) stored,
  depth smallint not null, -- 1 at the top
  title text not null,
  icon text,
  slug text not null, -- of the title; with a random suffix where the path was taken
  path text collate "C" not null, -- the slugs from the top; of a long one the last, behind a short id
  position double precision not null,
  label_ids uuid[] not null default '{}',
  content_revision bigint not null default 1,
  public_id text, -- set while it is published; see publications
  published_at timestamptz,
  archived_at timestamptz,
  trashed_at timestamptz,
  trashed_with_id uuid, -- the Document whose deletion took it along, itself where it was the one
  created_by_actor_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, parent_id) references documents on delete set null (parent_id),
  foreign key (workspace_id, created_by_actor_id) references actors,
  constraint documents_depth check (depth between 1 and 20),
  constraint documents_path_length check (length(path) between 1 and 200),
  constraint documents_published check ((public_id is null) = (published_at is null)),
  constraint documents_trashed check ((trashed_at is null) = (trashed_with_id is null) and (trashed_at is null or public_id is null))
);
-- In the trash a path is free for others; it leads to the Document as a former one does.
create unique index documents_path_taken on documents (workspace_id, path) where trashed_at is null;
create index documents_of_parent on documents (workspace_id, parent_id, trashed_at desc, id desc) where parent_id is not null;
create index documents_of_project on documents (workspace_id, project_id, id);
-- Those that are archived stand apart in each order. The lists must ask in these words: CASE, because row-level security trusts it not to leak.
create index documents_in_order on documents (workspace_id, place_id, (case when archived_at is null then 0 else 1 end), position, id) where trashed_at is null;
create index documents_changed on documents (workspace_id, (case when archived_at is null then 0 else 1 end), updated_at desc, id desc) where trashed_at is null;
create index documents_of_project_changed on documents (workspace_id, project_id, (case when archived_at is null then 0 else 1 end), updated_at desc, id desc) where trashed_at is null;
create index documents_titled on documents (workspace_id, (case when archived_at is null then 0 else 1 end), title collate "C", id) where trashed_at is null;
create index documents_of_project_titled on documents (workspace_id, project_id, (case when archived_at is null then 0 else 1 end), title collate "C", id) where trashed_at is null;
-- What was thrown away, without what only went along.
create index documents_in_trash on documents (workspace_id, trashed_at desc, id desc) where trashed_with_id = id;

-- The slugs from the top, joined, as a path: of more than 200 characters the last, behind a short id, because others may end in the same. No slug has
-- a tilde in it, so that no other path is like that.
create function document_path(slugs text, document uuid) returns text language sql immutable parallel safe return
  case when length(slugs) <= 200 then slugs
    else '~' || right(document::text, 12) || '/' || case
      when substr(slugs, length(slugs) - 186, 1) = '/' then right(slugs, 186)
      else substr(right(slugs, 186), strpos(right(slugs, 186), '/') + 1) end
  end;

-- Where a Document was found before. Several may have had one path: the one that left it last is found.
create table document_former_paths (
  workspace_id uuid not null,
  path text collate "C" not null,
  document_id uuid not null,
  left_at timestamptz not null default now(),
  primary key (workspace_id, path, document_id),
  foreign key (workspace_id, document_id) references documents on delete cascade
);
create index document_former_paths_newest on document_former_paths (workspace_id, path, left_at desc, document_id);
create index document_former_paths_of_document on document_former_paths (workspace_id, document_id);

-- Never changed once it is written. Every Document has revision 1.
create table document_revisions (
  workspace_id uuid not null,
  document_id uuid not null,
  revision bigint not null,
  content jsonb not null, -- ProseMirror JSON
  markdown text not null,
  text text not null, -- without any marks, for search and for the command line
  reason text not null check (reason in ('write', 'session', 'restore', 'sync')),
  author_actor_ids uuid[] not null,
  size integer not null, -- characters of the Markdown
  created_at timestamptz not null default now(),
  primary key (workspace_id, document_id, revision),
  foreign key (workspace_id, document_id) references documents on delete cascade
);

-- From a Document to what it is about. Somebody made it, or the content names it; both may be.
create table document_links (
  workspace_id uuid not null,
  document_id uuid not null,
  target_kind text not null check (target_kind in ('task', 'milestone', 'document', 'project', 'person')),
  target_id uuid not null,
  origin text not null check (origin in ('manual', 'content')),
  created_by_actor_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, document_id, target_kind, target_id, origin),
  foreign key (workspace_id, document_id) references documents on delete cascade,
  foreign key (workspace_id, created_by_actor_id) references actors
);
create index document_links_to on document_links (workspace_id, target_kind, target_id, document_id);

create trigger labels_given after insert on documents for each row when (new.label_ids <> '{}') execute function keep_label_assignments('document');
create trigger labels_changed after update of label_ids on documents for each row when (new.label_ids <> old.label_ids) execute function keep_label_assignments('document');
create trigger labels_gone after delete on documents for each row when (old.label_ids <> '{}') execute function keep_label_assignments('document');

-- As of a Task that is deleted: that something happened stays, for those who see the Project that it was in last; what is told of it goes.
create function forget_document() returns trigger language plpgsql security definer set search_path = public as $$
begin
  update domain_events set payload = '{}', project_id = old.project_id
  where workspace_id = old.workspace_id and resource_kind = 'document' and resource_id = old.id
    and (payload <> '{}' or project_id is distinct from old.project_id);
  return null;
end $$;
create trigger documents_forget_document after delete on documents for each row execute function forget_document();

call protect_tenant('documents', 'select, insert, update, delete');
call protect_tenant('document_former_paths', 'select, insert, update');
call protect_tenant('document_revisions', 'select, insert');
call protect_tenant('document_links', 'select, insert, update, delete');
