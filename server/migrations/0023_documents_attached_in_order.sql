-- no transaction
create index concurrently if not exists attachments_of_document on attachments (workspace_id, document_id, attached_at desc, id desc) where document_id is not null;
