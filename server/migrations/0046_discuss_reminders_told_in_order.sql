-- no transaction
create index concurrently if not exists discuss_reminders_changed on discuss_reminders (workspace_id, actor_id, change_sequence);
