-- no transaction
-- Who has left of late is found by the sweep, in whichever Workspace they were.
create index concurrently if not exists memberships_gone on memberships (updated_at) where state in ('removed', 'left');
