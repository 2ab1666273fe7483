-- What Discuss keeps of a member goes with the membership. As the owner of the tables: the application deletes none of it.
create function forget_discuss_preferences() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from discuss_preferences where workspace_id = new.workspace_id and actor_id = new.actor_id;
  return null;
end $$;
create trigger memberships_forget_discuss_preferences after update of state on memberships
  for each row when (new.state in ('removed', 'left')) execute function forget_discuss_preferences();
