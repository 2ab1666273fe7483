-- no transaction
-- Result sets that have expired are found by the sweep, in whichever Workspace they are.
create index concurrently if not exists task_result_sets_expired on task_result_sets (expires_at);
