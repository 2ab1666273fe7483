-- no transaction
-- How many Document patches a member has is counted by the member.
create index concurrently if not exists document_patches_of_actor on document_patches (workspace_id, actor_id);
