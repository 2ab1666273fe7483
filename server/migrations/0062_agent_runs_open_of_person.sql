-- no transaction
create index concurrently if not exists agent_runs_open_of_person on agent_runs (workspace_id, initiator_actor_id) where state in ('queued', 'running', 'cancel_requested');
