-- no transaction
-- The newest of each kind, which tell how much of it matches.
create index concurrently if not exists search_entries_newest_of_kind on search_entries (workspace_id, kind, touched_at desc, id desc);
