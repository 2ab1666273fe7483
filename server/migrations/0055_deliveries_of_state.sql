-- no transaction
create index concurrently if not exists integration_deliveries_of_state on integration_deliveries (workspace_id, installation_id, state, number);
