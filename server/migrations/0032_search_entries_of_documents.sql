-- no transaction
-- The words of Documents by themselves: the list of a word that every third Task has takes 50 ms to read. What waits to be sorted in stays little, because every look reads through it.
create index concurrently if not exists search_entries_words_of_documents on search_entries using gin (words) with (gin_pending_list_limit = 256) where kind = 'document';
