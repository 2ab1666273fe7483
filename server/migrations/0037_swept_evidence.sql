-- no transaction
-- Evidence that has expired is found by the sweep, in whichever Workspace it is.
create index concurrently if not exists evidence_collections_expired on evidence_collections (expires_at);
