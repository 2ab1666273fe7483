-- no transaction
create index concurrently if not exists inbox_items_of_reminder on inbox_items (workspace_id, reminder_id) where reminder_id is not null;
