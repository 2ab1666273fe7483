-- no transaction
-- In place of attachments_detached, which has private files in it too and is left for release 0.5: drop that one release later.
create index concurrently if not exists attachments_swept on attachments (workspace_id, state, expires_at) where task_id is null and project_id is null and document_id is null and (not private or state <> 'stored');
