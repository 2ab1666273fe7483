-- A reminder that was told. Constraints are not validated, which would look through all items: none of those that are there has a reminder.
alter table inbox_items add column reminder_id uuid;
alter table inbox_items add foreign key (workspace_id, reminder_id) references discuss_reminders on delete cascade not valid;
alter table inbox_items drop constraint inbox_items_subject;
-- Beside a reminder stands what it is about, or nothing.
alter table inbox_items add constraint inbox_items_subject
  check (num_nonnulls(task_id, project_id, document_id) = 1 or (reminder_id is not null and num_nonnulls(task_id, project_id, document_id) = 0)) not valid;
create or replace function subject_of_inbox_item() returns trigger language plpgsql as $$
begin
  new.subject_id := coalesce(new.reminder_id, new.task_id, new.project_id, new.document_id);
  return new;
end $$;
