-- They go with the membership: their objects at once, and the rows by the sweep.
create function forget_private_files() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone uuid;
begin
  for gone in
    update attachments set state = 'deleted', private = false, updated_at = now(), revision = revision + 1
    where workspace_id = new.workspace_id and uploaded_by_actor_id = new.actor_id and private and attached_at is null and state <> 'deleted' returning id
  loop
    perform enqueue_job('discard_attachment', json_build_object('workspace_id', new.workspace_id, 'id', gone));
  end loop;
  return null;
end $$;
create trigger memberships_forget_private_files after update of state on memberships
  for each row when (new.state in ('removed', 'left')) execute function forget_private_files();
