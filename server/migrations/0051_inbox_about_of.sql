-- no transaction
create index concurrently if not exists inbox_items_of_about on inbox_items (workspace_id, about_id) where about_id is not null;
