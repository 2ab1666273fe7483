-- no transaction
create index concurrently if not exists search_entries_newest_of_kind_in_project on search_entries (workspace_id, project_id, kind, touched_at desc, id desc);
