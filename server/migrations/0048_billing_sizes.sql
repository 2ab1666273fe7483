-- no transaction
create index concurrently if not exists attachments_sizes on attachments (workspace_id, size) where state <> 'deleted';
