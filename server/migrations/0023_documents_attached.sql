-- Files of Documents. Constraints are not validated, which would look through all files: none of those that are there has a Document.
alter table attachments add column document_id uuid;
alter table attachments add foreign key (workspace_id, document_id) references documents on delete set null (document_id) not valid;
alter table attachments add constraint attachments_of_document
  check (document_id is null or (task_id is null and project_id is null and attached_at is not null)) not valid;

-- Release 0.2 takes a file that is attached to neither a Task nor a Project for one that nobody needs: drop this one release later.
create function keep_document_file() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger keep_document_file before update of state on attachments
  for each row when (new.state = 'deleted' and new.document_id is not null) execute function keep_document_file();
