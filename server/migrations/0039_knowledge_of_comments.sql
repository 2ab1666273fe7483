-- What a comment said is in the index no more when it changes or is deleted.
create trigger comments_forget_knowledge after update of markdown, deleted_at on comments
  for each row when (old.markdown <> new.markdown or old.deleted_at is distinct from new.deleted_at) execute function forget_knowledge();
create trigger comments_gone_from_knowledge after delete on comments for each row execute function forget_knowledge();
