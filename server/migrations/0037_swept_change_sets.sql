-- no transaction
-- ChangeSets that came to nothing are found by the sweep, in whichever Workspace they are.
create index concurrently if not exists change_set_versions_expired on change_set_versions (expires_at);
