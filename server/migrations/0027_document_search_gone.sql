-- What is deleted for ever is found no more, with whatever took it along.
create function forget_document_words() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from search_entries where workspace_id = old.workspace_id and kind = 'document' and id = old.id;
  return null;
end $$;
create trigger documents_forget_words after delete on documents for each row execute function forget_document_words();
