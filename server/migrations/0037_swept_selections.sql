-- no transaction
-- Selections that have expired are found by the sweep, in whichever Workspace they are.
create index concurrently if not exists task_selections_expired on task_selections (expires_at);
