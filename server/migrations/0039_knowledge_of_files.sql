-- A file is read once it is attached and may be given out, and is in the index no more when it is not.
create trigger attachments_forget_knowledge after update of state, scan_state, task_id, project_id, document_id on attachments
  for each row when ((old.state, old.scan_state, old.task_id, old.project_id, old.document_id) is distinct from (new.state, new.scan_state, new.task_id, new.project_id, new.document_id))
  execute function forget_knowledge();
create trigger attachments_read_anew after update of state, scan_state, task_id, project_id, document_id on attachments
  for each row when (new.state = 'stored' and new.attached_at is not null
    and (old.state, old.scan_state, old.task_id, old.project_id, old.document_id) is distinct from (new.state, new.scan_state, new.task_id, new.project_id, new.document_id))
  execute function read_file_anew();
create trigger attachments_gone_from_knowledge after delete on attachments for each row execute function forget_knowledge();
