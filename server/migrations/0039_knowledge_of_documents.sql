-- What a Document said, and where it was, is in the index no more when that changes.
create trigger documents_forget_words_of_knowledge after update of title, content_revision on documents
  for each row when (old.title <> new.title or old.content_revision <> new.content_revision) execute function forget_knowledge();
create trigger documents_forget_knowledge after update of project_id, trashed_at on documents
  for each row when (old.project_id is distinct from new.project_id or old.trashed_at is distinct from new.trashed_at) execute function forget_knowledge('along');
create trigger documents_gone_from_knowledge after delete on documents for each row execute function forget_knowledge('along');
