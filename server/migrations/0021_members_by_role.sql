-- no transaction
-- The members of a role, or in a state, in the order in which they joined: a large Workspace finds its owners without reading everybody.
create index concurrently if not exists memberships_by_role on memberships (workspace_id, role, state, id);
