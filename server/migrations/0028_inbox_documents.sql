-- What is told of a Document. Constraints are not validated, which would look through all items: none of those that are there has a Document.
alter table inbox_items add column document_id uuid;
alter table inbox_items add foreign key (workspace_id, document_id) references documents on delete cascade not valid;
alter table inbox_items drop constraint inbox_items_subject;
alter table inbox_items add constraint inbox_items_subject check (num_nonnulls(task_id, project_id, document_id) = 1) not valid;

-- The subject is given by a trigger from now on: another expression would be worked out for all rows, while nobody can use the table.
-- Release 0.2 does not give it, and no check asks for what the trigger always does.
alter table inbox_items alter column subject_id drop expression, alter column subject_id drop not null;
create function subject_of_inbox_item() returns trigger language plpgsql as $$
begin
  new.subject_id := coalesce(new.task_id, new.project_id, new.document_id);
  return new;
end $$;
create trigger inbox_items_subject before insert on inbox_items for each row execute function subject_of_inbox_item();
