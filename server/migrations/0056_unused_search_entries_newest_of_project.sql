-- no transaction
-- Each kind has an index of its own since 0032.
drop index concurrently if exists search_entries_newest_of_project;
