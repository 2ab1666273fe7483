-- Who is mentioned in a Document, or was in one of its revisions: each is told once. A job keeps it from the events: writing a text costs nothing more.
create table document_mentions (
  workspace_id uuid not null,
  document_id uuid not null,
  actor_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, document_id, actor_id),
  foreign key (workspace_id, document_id) references documents on delete cascade,
  foreign key (workspace_id, actor_id) references actors
);
call protect_tenant('document_mentions', 'select, insert');
