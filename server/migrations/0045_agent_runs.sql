-- Runs of Agents: what started one and for whom, its steps, what it wants to change, and what it gives back. Decision 0171.
-- Those that a turn of Discuss has started are private to their initiator. Decision 0172.
create table agent_runs (
  workspace_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  definition_id uuid not null,
  version integer not null,
  initiator_actor_id uuid not null, -- who it acts for: it never has more than they have now
  trigger text not null check (trigger in ('manual', 'mention', 'assignment', 'schedule', 'event', 'delegation', 'discuss')),
  cause text, -- what it follows from: one run for each
  parent_run_id uuid, -- the run of Discuss that started it
  parent_turn_id uuid,
  credential_id uuid, -- with which that was queued
  credential_kind text,
  project_id uuid, -- of what it is about: it stays within it
  task_id uuid,
  document_id uuid,
  dry_run boolean not null default false,
  input text not null default '', -- what it was told
  state text not null default 'queued' check (state in ('queued', 'running', 'waiting', 'cancel_requested', 'completed', 'failed', 'cancelled')),
  error_code text,
  limited boolean not null default false, -- made without a model
  answered_at timestamptz, -- all is said; what was approved may still have to be done
  fence integer not null default 0,
  lease_until timestamptz,
  steps integer not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  read_others boolean not null default false,
  counted_input bigint not null default 0, -- of the tokens, those that usage knows of
  counted_output bigint not null default 0,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, agent_id) references agents,
  foreign key (workspace_id, definition_id, version) references agent_versions,
  foreign key (workspace_id, initiator_actor_id) references actors
);
create unique index agent_runs_cause on agent_runs (workspace_id, agent_id, cause) where cause is not null;
create index agent_runs_of_agent on agent_runs (workspace_id, agent_id, id) where trigger <> 'discuss';
create index agent_runs_begun on agent_runs (workspace_id, agent_id, created_at);
create index agent_runs_of_specialists on agent_runs (workspace_id, initiator_actor_id, id) where trigger = 'discuss';
create index agent_runs_open on agent_runs (created_at) where state in ('queued', 'running', 'cancel_requested');

-- As discuss_steps.
create table agent_steps (
  workspace_id uuid not null,
  run_id uuid not null,
  number integer not null,
  kind text not null check (kind in ('model', 'tool')),
  asked text not null,
  answered text,
  created_at timestamptz not null default now(),
  primary key (workspace_id, run_id, number),
  foreign key (workspace_id, run_id) references agent_runs on delete cascade
);
create index agent_steps_created on agent_steps (created_at);

-- What a run wants to change. Written before anything happens.
create table agent_actions (
  workspace_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  number bigint not null, -- in their order
  kind text not null, -- the tool
  target text not null, -- the code or key of what it is about
  preview text not null, -- what would be written, for who decides
  input text not null, -- sealed
  state text not null check (state in ('planned', 'waiting', 'approved', 'done', 'refused', 'rejected', 'expired', 'cancelled')),
  receipt_id uuid,
  refusal text,
  approval_id uuid,
  digest text,
  expires_at timestamptz,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, run_id) references agent_runs on delete cascade,
  constraint agent_actions_approval check ((approval_id is null) = (digest is null) and (approval_id is null) = (expires_at is null))
);
create unique index agent_actions_of_run on agent_actions (workspace_id, run_id, number);
create index agent_actions_waiting on agent_actions (expires_at) where state = 'waiting';

create table agent_outputs (
  workspace_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  number bigint not null,
  kind text not null check (kind in ('text', 'document_draft')),
  resource jsonb,
  text text not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, run_id) references agent_runs on delete cascade
);
create unique index agent_outputs_of_run on agent_outputs (workspace_id, run_id, number);

call protect_tenant('agent_runs', 'select, insert, update');
call protect_tenant('agent_steps', 'select, insert, update');
call protect_tenant('agent_actions', 'select, insert, update');
call protect_tenant('agent_outputs', 'select, insert');

-- Open runs that nobody is at work on.
create function due_agent_runs(most integer) returns table (workspace_id uuid, id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select r.workspace_id, r.id from agent_runs r
  where r.state in ('queued', 'running', 'cancel_requested') and (r.lease_until is null or r.lease_until < now()) order by r.created_at limit most
$$;

-- As whom a run acts, asked at every call of an operation and before every step: as the Agent's Actor, with no more than its initiator has now, within the Projects of the Agent.
-- One that changes nothing only reads; one that may change something sees the Projects in which its initiator may, a hundred at most. `fault` says why it may not go on.
create function agent_caller(workspace uuid, run uuid)
returns table (id uuid, workspace_id uuid, actor_id uuid, user_id uuid, role text, project_ids uuid[], scopes text[], fault text)
language sql stable security definer set search_path = public, pg_temp as $$
  select r.id, r.workspace_id, a.actor_id, m.user_id, s.role, case when cardinality(p.ids) > 0 then p.ids else array['00000000-0000-0000-0000-000000000000'::uuid] end,
    case when c.id is null or c.kind = 'session' then array['svc:read', 'svc:write'] else c.scopes end,
    case when a.deleted_at is not null then 'agent_deleted' when a.state = 'quarantined' then 'agent_quarantined' when a.state = 'paused' then 'agent_paused'
      when m.id is null or w.archived_at is not null then 'initiator_lost_access'
      when r.credential_id is not null and c.id is null then 'credential_ended'
      when r.project_id is not null and cardinality(p.ids) = 0 then 'initiator_lost_access'
      when cardinality(a.project_ids) > 0 and cardinality(p.ids) = 0 then 'initiator_lost_access' end
  from agent_runs r
  join agents a on a.workspace_id = r.workspace_id and a.id = r.agent_id
  join workspaces w on w.id = r.workspace_id
  left join memberships m on m.workspace_id = r.workspace_id and m.actor_id = r.initiator_actor_id and m.state = 'active'
    and (m.role <> 'viewer' or r.trigger = 'discuss')
  left join credentials c on c.id = r.credential_id and c.revoked_at is null and c.expires_at > now()
  cross join lateral (select case when m.role = 'viewer' or r.dry_run or r.trigger = 'discuss' then 'viewer' else 'member' end as role) s
  cross join lateral (select array(
    select p.id from projects p
    left join project_members pm on pm.workspace_id = p.workspace_id and pm.project_id = p.id and pm.actor_id = m.actor_id
    where p.workspace_id = r.workspace_id and p.deleted_at is null and m.id is not null
      and (cardinality(a.project_ids) = 0 or p.id = any(a.project_ids)) and (r.project_id is null or p.id = r.project_id)
      and (p.visibility = 'workspace' or m.role in ('owner', 'admin') or pm.actor_id is not null)
      and (s.role = 'viewer' or m.role in ('owner', 'admin') or pm.role is distinct from 'viewer')
    order by p.updated_at desc, p.id limit 100) as ids) p
  where r.workspace_id = workspace and r.id = run and r.state in ('running', 'cancel_requested')
$$;

-- What happened since in Workspaces whose Agents begin with something that happens, but for what Agents did. Which of it leads to a run is decided by who reads it; the same
-- event read twice leads to one.
create function agent_events(kinds text[], most integer, inout after timestamptz, inout settled timestamptz, out events jsonb, out more boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  since timestamptz := events_since('agents');
  latest timestamptz;
begin
  if after is null then
    -- Nothing begins for what happened before there were runs.
    after := greatest(since, now() - interval '1 day');
    settled := events_settled();
  end if;
  select coalesce(jsonb_agg(to_jsonb(t) order by t.occurred_at, t.id), '[]'), max(t.occurred_at) into events, latest from (
    select e.workspace_id, e.id, e.type, e.actor_id, e.project_id, e.task_id, e.resource_kind, e.resource_id, e.payload, e.occurred_at from domain_events e
    where e.occurred_at >= after and e.type = any(kinds) and e.actor_id is not null and e.source is distinct from 'agent' and exists (
      select from agents a where a.workspace_id = e.workspace_id and a.state = 'active' and a.deleted_at is null and a.trigger_kinds && '{mention,assignment,event}'
        and a.created_at <= e.occurred_at)
    order by e.occurred_at, e.id limit most) t;
  more := jsonb_array_length(events) = most and latest > after;
  if more then after := latest; else perform events_read('agents', settled); end if;
end $$;
revoke all on function due_agent_runs, agent_caller, agent_events from public;
grant execute on function due_agent_runs, agent_caller, agent_events to svc_app;
