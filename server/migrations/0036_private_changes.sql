-- The private journal: what changed in somebody's inbox, account, and in what lets them in, in the order of the journal (0031). Written by triggers, because much of it
-- is done by background work, by somebody else or without an event; only added to, so that nobody waits for anybody. Decision 0125.
create table private_changes (
  workspace_id uuid not null, -- the nil UUID: of an account
  tx xid8 not null default pg_current_xact_id(),
  owner_id uuid not null, -- the Actor whose inbox it is; of an account the person
  kind text not null,
  id uuid not null,
  action text not null check (action in ('created', 'changed', 'removed')),
  revision bigint, -- none where it is gone
  occurred_at timestamptz not null default now(),
  primary key (workspace_id, tx, owner_id, kind, id)
);
create index private_changes_occurred on private_changes using brin (occurred_at);
call protect_tenant('private_changes', 'select');

create function note_private_change(workspace uuid, owner uuid, kind text, id uuid, action text, revision bigint) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into private_changes as old (workspace_id, owner_id, kind, id, action, revision)
  values (workspace, owner, kind, id, action, case when action <> 'removed' then revision end)
  on conflict (workspace_id, tx, owner_id, kind, id) do update
  set revision = excluded.revision, action = case when old.action = 'created' and excluded.action = 'changed' then old.action else excluded.action end
$$;

-- Of a row that belongs to a person, under the name that the trigger gives. What is revoked is gone.
create function note_own_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  was jsonb := to_jsonb(old);
  is_now jsonb := to_jsonb(new);
  own jsonb := coalesce(to_jsonb(new), to_jsonb(old));
  kind text := case tg_argv[0] when 'credential' then case own ->> 'kind' when 'session' then 'session' else 'api_token' end
    when 'grant' then case own ->> 'family' when 'native' then 'mobile_credential' else own ->> 'family' || '_grant' end
    else tg_argv[0] end;
  action text := case when is_now is null or is_now ->> 'revoked_at' is not null then 'removed' when was is null then 'created' else 'changed' end;
begin
  perform note_private_change('00000000-0000-0000-0000-000000000000', (own ->> case tg_argv[0] when 'account' then 'id' else 'user_id' end)::uuid,
    kind, (own ->> 'id')::uuid, action, (own ->> 'revision')::bigint);
  return null;
end $$;

-- Of whole statements: an inbox is told, read and swept in many rows at once. Nothing is known of how many, so that rows are never looked for one by one.
create function note_inbox_added() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into private_changes (workspace_id, owner_id, kind, id, action, revision)
  select i.workspace_id, i.actor_id, 'inbox_item', i.id, 'created', i.revision from added i where i.listed
  on conflict (workspace_id, tx, owner_id, kind, id) do update set revision = excluded.revision, action = excluded.action;
  return null;
end $$;
create function note_inbox_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
begin
  insert into private_changes as kept (workspace_id, owner_id, kind, id, action, revision)
  select i.workspace_id, i.actor_id, 'inbox_item', i.id, 'changed', i.revision
  from added i join removed o on o.workspace_id = i.workspace_id and o.id = i.id where i.listed and i.revision <> o.revision
  on conflict (workspace_id, tx, owner_id, kind, id) do update
  set revision = excluded.revision, action = case kept.action when 'created' then kept.action else excluded.action end;
  return null;
end $$;
create function note_inbox_removed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into private_changes (workspace_id, owner_id, kind, id, action)
  select i.workspace_id, i.actor_id, 'inbox_item', i.id, 'removed' from removed i where i.listed
  on conflict (workspace_id, tx, owner_id, kind, id) do update set revision = null, action = excluded.action;
  return null;
end $$;
revoke all on function note_private_change, note_own_change, note_inbox_added, note_inbox_changed, note_inbox_removed from public;

-- In which of these Workspaces something came since: asked by whoever follows several, and told nothing else.
create function journal_moved(workspaces uuid[], since xid8) returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  select w from unnest(workspaces) w where exists (select from domain_events e where e.workspace_id = w and e.tx >= since)
    or exists (select from private_changes c where c.workspace_id = w and c.tx >= since)
$$;
revoke all on function journal_moved from public;
grant execute on function journal_moved to svc_app;
