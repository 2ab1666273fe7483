-- no transaction
-- How many ChangeSets a member has is counted by the member.
create index concurrently if not exists change_sets_of_actor on change_sets (workspace_id, initiator_actor_id);
