-- no transaction
-- In place of attachments_loose, which has the files of Documents in it too and is left for release 0.2: drop that one release later.
create index concurrently if not exists attachments_detached on attachments (workspace_id, state, expires_at) where task_id is null and project_id is null and document_id is null;
