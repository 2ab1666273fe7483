-- no transaction
-- What came between two positions of the journal, in its order.
create index concurrently if not exists domain_events_journal on domain_events (workspace_id, tx, id) where tx is not null;
