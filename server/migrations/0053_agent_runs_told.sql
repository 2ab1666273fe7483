-- Every revision of a run is told to those who see it, whoever changes it: a person, whoever is at work on it, or time. Specialist runs are their member's own, and told to nobody here.
-- Decision 0198.
create function tell_agent_run() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  told uuid := uuidv7();
begin
  insert into domain_events (workspace_id, id, command_id, type, project_id, resource_kind, resource_id)
  values (new.workspace_id, told, told, case tg_op when 'INSERT' then 'agent_run.created' else 'agent_run.changed' end, (
    select a.project_ids[1] from agents a where a.workspace_id = new.workspace_id and a.id = new.agent_id), 'agent_run', new.id);
  return null;
end $$;
create trigger agent_runs_tell_created after insert on agent_runs for each row when (new.trigger <> 'discuss') execute function tell_agent_run();
create trigger agent_runs_tell_changed after update of revision on agent_runs for each row
when (new.trigger <> 'discuss' and new.revision <> old.revision) execute function tell_agent_run();
