-- One of each kind that somebody has open at a time.
create unique index agent_requests_one_pending on agent_requests (workspace_id, definition_id, requested_by_actor_id, kind) where state = 'pending';
-- As they are listed: all of a definition, those in one state, and somebody's own.
create index agent_requests_in_state on agent_requests (workspace_id, state, definition_id, id);
create index agent_requests_own on agent_requests (workspace_id, requested_by_actor_id, id);
