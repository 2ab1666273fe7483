-- no transaction
create index concurrently if not exists billing_checkouts_open on billing_checkouts (workspace_id) where state = 'open';
