-- no transaction
-- Titles by code point, the same in every database; with the Project, so that those of others are passed over without reading their Tasks.
create index concurrently if not exists tasks_titled on tasks (workspace_id, title collate "C", id, project_id) where trashed_at is null;
