-- What a member kept for themselves goes with the membership. As the owner of the tables: the application changes no version and deletes none.
create function forget_native_work() returns trigger language plpgsql security definer set search_path = public as $$
begin
  delete from evidence_collections where workspace_id = new.workspace_id and actor_id = new.actor_id;
  delete from task_result_sets where workspace_id = new.workspace_id and actor_id = new.actor_id;
  delete from task_selections where workspace_id = new.workspace_id and actor_id = new.actor_id;
  delete from task_saved_views where workspace_id = new.workspace_id and actor_id = new.actor_id;
  return null;
end $$;
create trigger memberships_forget_native_work after update of state on memberships
  for each row when (new.state in ('removed', 'left')) execute function forget_native_work();
