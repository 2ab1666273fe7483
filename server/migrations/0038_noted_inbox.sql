-- An inbox is noted in one statement for all of its rows, in place of a call for each. Nothing is known of how many there are, so that rows are never
-- looked for one by one.
create or replace function note_inbox_added() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into private_changes (workspace_id, owner_id, kind, id, action, revision)
  select i.workspace_id, i.actor_id, 'inbox_item', i.id, 'created', i.revision from added i where i.listed
  on conflict (workspace_id, tx, owner_id, kind, id) do update set revision = excluded.revision, action = excluded.action;
  return null;
end $$;
create or replace function note_inbox_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
begin
  insert into private_changes as kept (workspace_id, owner_id, kind, id, action, revision)
  select i.workspace_id, i.actor_id, 'inbox_item', i.id, 'changed', i.revision
  from added i join removed o on o.workspace_id = i.workspace_id and o.id = i.id where i.listed and i.revision <> o.revision
  on conflict (workspace_id, tx, owner_id, kind, id) do update
  set revision = excluded.revision, action = case kept.action when 'created' then kept.action else excluded.action end;
  return null;
end $$;
create or replace function note_inbox_removed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into private_changes (workspace_id, owner_id, kind, id, action)
  select i.workspace_id, i.actor_id, 'inbox_item', i.id, 'removed' from removed i where i.listed
  on conflict (workspace_id, tx, owner_id, kind, id) do update set revision = null, action = excluded.action;
  return null;
end $$;
