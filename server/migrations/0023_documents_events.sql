-- no transaction
-- What happened to one Document.
create index concurrently if not exists domain_events_of_document on domain_events (workspace_id, resource_id, occurred_at desc, id desc) where resource_kind = 'document';
