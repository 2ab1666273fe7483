-- What is told of something that is neither work nor a reminder: of what somebody asked for, and of a webhook endpoint. The item keeps the name and the words that there were.
-- Constraints are not validated, which would look through all items: none of those that are there is about such a thing.
alter table inbox_items add column about_kind text, add column about_id uuid, add column about_name text, add column about_note text;
alter table inbox_items drop constraint inbox_items_subject;
alter table inbox_items add constraint inbox_items_subject check (num_nonnulls(task_id, project_id, document_id, about_id) = 1
  or (reminder_id is not null and num_nonnulls(task_id, project_id, document_id, about_id) = 0)) not valid;
alter table inbox_items add constraint inbox_items_about check (num_nonnulls(about_kind, about_id, about_name) in (0, 3)) not valid;
create or replace function subject_of_inbox_item() returns trigger language plpgsql as $$
begin
  new.subject_id := coalesce(new.reminder_id, new.task_id, new.project_id, new.document_id, new.about_id);
  return new;
end $$;
