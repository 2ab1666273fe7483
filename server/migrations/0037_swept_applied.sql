-- no transaction
-- ChangeSets that were applied long ago are found by the sweep, in whichever Workspace they are.
create index concurrently if not exists change_set_applications_created on change_set_applications (created_at);
