-- no transaction
create index concurrently if not exists integration_requests_open on integration_requests (workspace_id, id desc) where state = 'open';
