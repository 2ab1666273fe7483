-- no transaction
create index concurrently if not exists inbox_items_of_document on inbox_items (workspace_id, document_id) where document_id is not null;
