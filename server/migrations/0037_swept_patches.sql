-- no transaction
-- Document patches that nobody has touched for long are found by the sweep, in whichever Workspace they are.
create index concurrently if not exists document_patch_versions_created on document_patch_versions (created_at);
