-- Reminders go with the membership, as the preferences do.
create function forget_discuss_reminders() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from discuss_reminders where workspace_id = new.workspace_id and actor_id = new.actor_id;
  return null;
end $$;
create trigger memberships_forget_discuss_reminders after update of state on memberships
  for each row when (new.state in ('removed', 'left')) execute function forget_discuss_reminders();
