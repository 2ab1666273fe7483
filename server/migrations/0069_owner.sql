-- Row-level security also applies to the owner of the tables: a session that lost its role sees its tenant and nothing else. The owner passes
-- inside our SECURITY DEFINER functions, where the role of the session is still svc_app, and on a connection that sets svc.owner: migrations,
-- background work, backup and the operator's commands. The policy names the owner alone, so that svc_app gains nothing by setting it.
-- Immutable, so that the planner folds it: a condition that is evaluated for each row keeps full-text search from its index. A plan belongs to
-- its user and its function, and neither condition changes within a connection of ours.
create function acts_as_owner() returns boolean language sql immutable parallel safe as $$
  select current_setting('role') = 'svc_app' or coalesce(current_setting('svc.owner', true) = 'on', false)
    -- The worker of version 0.11, which works on this schema, does not set it.
    or current_setting('application_name') = 'svc-worker'
    -- A superuser bypasses row-level security anyway, and so do the triggers that its statements fire.
    or (select rolsuper from pg_roles where rolname = session_user) $$;

create procedure force_tenant(target regclass) language plpgsql as $$
declare owner oid := (select relowner from pg_class where oid = target);
begin
  -- The policy would let svc_app pass.
  if pg_has_role('svc_app', owner, 'member') then
    raise insufficient_privilege using message = format('svc_app has the rights of %s, who owns %s', owner::regrole, target),
      hint = 'name a user of its own in the address, whose role svc_app is no member of';
  end if;
  if not exists (select from pg_policy where polrelid = target and polname = 'owner' and polroles = array[owner]) then
    if exists (select from pg_policy where polrelid = target and polname = 'owner') then
      execute format('drop policy owner on %s', target);
    end if;
    execute format('create policy owner on %s to %I using (acts_as_owner())', target, pg_get_userbyid(owner));
  end if;
  execute format('alter table %s enable row level security, force row level security', target);
end $$;

create or replace procedure protect_tenant(target regclass, privileges text) language plpgsql as $$
begin
  execute format('create policy tenant on %s to svc_app using (workspace_id = current_workspace())', target);
  execute format('grant %s on %s to svc_app', privileges, target);
  call force_tenant(target);
end $$;

-- Tables whose row-level security is off or lets the owner escape, or whose owner has changed.
create function unforced_tenants() returns setof regclass language sql stable as $$
  select c.oid::regclass from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    and (c.relrowsecurity or exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant'))
    and not (c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'owner' and p.polroles = array[c.relowner]))
  order by c.relname $$;

-- Locks one table at a time, each for a moment, and commits in between.
create procedure force_tenants() language plpgsql as $$
declare target regclass;
begin
  foreach target in array array(select unforced_tenants()) loop
    for attempt in 1..20 loop
      begin
        set local lock_timeout = '250ms';
        call force_tenant(target);
        exit;
      exception when lock_not_available then
        if attempt = 20 then raise; end if;
      end;
      commit;
      perform pg_sleep(0.25 * attempt);
    end loop;
    commit;
  end loop;
end $$;
