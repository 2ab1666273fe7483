-- What a Task said, and where it was, is in the index no more when that changes; what it is about is found by search at once.
create trigger tasks_forget_words_of_knowledge after update of title, description_markdown on tasks
  for each row when (old.title <> new.title or old.description_markdown <> new.description_markdown) execute function forget_knowledge();
create trigger tasks_forget_knowledge after update of project_id, trashed_at on tasks
  for each row when (old.project_id <> new.project_id or old.trashed_at is distinct from new.trashed_at) execute function forget_knowledge('along');
create trigger tasks_gone_from_knowledge after delete on tasks for each row execute function forget_knowledge('along');
