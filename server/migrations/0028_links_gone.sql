-- Links to a Task or a Document that is deleted for ever go with it: nobody could see them, nor take them back, and they would count for ever.
create or replace function forget_task() returns trigger language plpgsql security definer set search_path = public as $$
begin
  update domain_events set payload = '{}', project_id = old.project_id
  where workspace_id = old.workspace_id and task_id = old.id and (payload <> '{}' or project_id <> old.project_id);
  delete from document_links where workspace_id = old.workspace_id and target_kind = 'task' and target_id = old.id;
  return null;
end $$;

create or replace function forget_document() returns trigger language plpgsql security definer set search_path = public as $$
begin
  update domain_events set payload = '{}', project_id = old.project_id
  where workspace_id = old.workspace_id and resource_kind = 'document' and resource_id = old.id
    and (payload <> '{}' or project_id is distinct from old.project_id);
  delete from document_links where workspace_id = old.workspace_id and target_kind = 'document' and target_id = old.id;
  return null;
end $$;
