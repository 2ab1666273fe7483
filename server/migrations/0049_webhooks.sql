-- Webhooks out: addresses that hear what happens in a Workspace, and the log of what was sent to them. Decisions 0176 to 0178.
create table webhook_endpoints (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  name text not null,
  url text not null,
  actions text[] not null, -- types of events
  project_ids uuid[] not null default '{}', -- empty: every one that the creator sees
  enabled boolean not null default true,
  disabled_reason text check (disabled_reason in ('failing', 'gone', 'creator_left')),
  enabled_at timestamptz not null default now(), -- what happened before is not sent
  sealed_secret text not null,
  previous_sealed_secret text,
  previous_secret_expires_at timestamptz,
  created_by_actor_id uuid not null, -- under whose rights it hears
  -- What follows is the sender's, and no change of the endpoint.
  succeeded_at timestamptz,
  failing_since timestamptz,
  due_at timestamptz, -- when the first of what is queued is to be sent; null: nothing is
  served_at timestamptz, -- whoever waits longest comes first
  lease_id uuid, -- of the process that sends now
  lease_until timestamptz,
  deleted_at timestamptz, -- its log is swept, and then its row
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, created_by_actor_id) references actors,
  constraint webhook_endpoints_previous check ((previous_sealed_secret is null) = (previous_secret_expires_at is null))
);
create index webhook_endpoints_due on webhook_endpoints (due_at) where enabled and due_at is not null;
create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null;
call protect_tenant('webhook_endpoints', 'select, insert, update');

-- One for each event and endpoint, however often the event is read. Without an event it is a test.
create table webhook_deliveries (
  workspace_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid,
  action text not null,
  state text not null default 'queued' check (state in ('queued', 'delivered', 'failed', 'dropped')),
  attempts integer not null default 0,
  status_code integer,
  duration_ms integer,
  error_code text,
  queued_at timestamptz not null default now(), -- at first, or when it was last asked for again
  attempted_at timestamptz,
  next_attempt_at timestamptz default now(),
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, endpoint_id) references webhook_endpoints,
  constraint webhook_deliveries_next check ((state = 'queued') = (next_attempt_at is not null))
);
create unique index webhook_deliveries_once on webhook_deliveries (workspace_id, endpoint_id, event_id);
create index webhook_deliveries_of_endpoint on webhook_deliveries (workspace_id, endpoint_id, id);
create index webhook_deliveries_in_state on webhook_deliveries (workspace_id, endpoint_id, state, id);
create index webhook_deliveries_due on webhook_deliveries (workspace_id, endpoint_id, next_attempt_at, id) where state = 'queued';
create index webhook_deliveries_created on webhook_deliveries (created_at);
call protect_tenant('webhook_deliveries', 'select, insert, update');

-- Up to where the journal of a Workspace has been read for its endpoints.
create table webhook_positions (
  workspace_id uuid primary key references workspaces,
  epoch text not null,
  tx xid8 not null,
  event_id uuid not null
);
call protect_tenant('webhook_positions', 'select, insert, update');

-- Where something came that an endpoint may hear of.
create function webhook_workspaces() returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  select p.workspace_id from webhook_positions p
  where exists (select from webhook_endpoints e where e.workspace_id = p.workspace_id and e.enabled and e.deleted_at is null)
    and (p.epoch <> journal_epoch() or exists (
      select from domain_events e where e.workspace_id = p.workspace_id and (e.tx, e.id) > (p.tx, p.event_id)
        and e.tx < pg_snapshot_xmin(pg_current_snapshot())))
$$;

-- Takes endpoints to which something is to be sent: at most so many, of a Workspace at most so many at a time in all processes, and whoever waited longest first.
create function claim_webhook_endpoints(most integer, most_of_workspace integer, holder uuid, seconds integer)
returns table (workspace_id uuid, id uuid) language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtext('webhook endpoints'));
  return query
  with due as (
    select e.workspace_id, e.id, e.served_at, row_number() over (partition by e.workspace_id order by e.served_at nulls first, e.id) + (
      select count(*) from webhook_endpoints l where l.workspace_id = e.workspace_id and l.lease_until >= now()) as place
    from webhook_endpoints e where e.enabled and e.due_at <= now() and e.deleted_at is null and (e.lease_until is null or e.lease_until < now())
  ), chosen as (
    select * from due where place <= most_of_workspace order by served_at nulls first, id limit most
  )
  update webhook_endpoints e set lease_id = holder, lease_until = clock_timestamp() + make_interval(secs => seconds), served_at = clock_timestamp()
  from chosen c where e.workspace_id = c.workspace_id and e.id = c.id returning e.workspace_id, e.id;
end $$;
revoke all on function webhook_workspaces, claim_webhook_endpoints from public;
grant execute on function webhook_workspaces, claim_webhook_endpoints to svc_app;
