-- Who pays for a Workspace, and what its plan gives it. Decisions 0173 to 0175.

-- What the plans give, written at each start from contract/src/billing/plans.ts. Without a billing provider there are none, and then everything is granted.
create table billing_plans (
  key text primary key check (key in ('free', 'team', 'business')),
  sold_by text not null, -- the provider
  sold boolean not null, -- whether it can be bought
  members integer, -- null in these three: as many as one likes
  storage bigint,
  agents integer,
  features text[] not null
);
grant select on billing_plans to svc_app;

-- What somebody was led to pay for. Of an account: a new Workspace does not exist before it is paid for. What the provider tells leads through here to the Workspace.
create table billing_checkouts (
  id uuid primary key,
  kind text not null check (kind in ('workspace', 'plan', 'credits')),
  user_id uuid not null references users,
  workspace_id uuid references workspaces, -- of a new one: once it is there
  plan text check (plan in ('team', 'business')),
  seats integer check (seats > 0), -- with which the payment begins
  credits integer check (credits > 0),
  name text,
  slug text,
  return_path text not null,
  state text not null default 'open' check (state in ('open', 'completed', 'expired')),
  provider text not null,
  checkout_ref text, -- as the provider calls it; null until it has answered
  customer_ref text,
  subscription_ref text,
  url text,
  -- Of two who ask the provider at once, the one who asked later is right.
  asked bigint not null default 0,
  told bigint not null default 0,
  told_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '24 hours',
  constraint billing_checkouts_of_kind check ((kind = 'credits') = (plan is null) and (kind = 'credits') = (credits is not null)
    and (kind = 'workspace') = (name is not null) and (kind = 'workspace' or workspace_id is not null)),
  constraint billing_checkouts_paid_for check (state <> 'completed' or workspace_id is not null)
);
-- One at a time: of two that are open, both could be paid.
create unique index billing_checkouts_one_of_account on billing_checkouts (user_id) where state = 'open' and kind = 'workspace';
create unique index billing_checkouts_one_of_workspace on billing_checkouts (workspace_id) where state = 'open' and kind = 'plan';
create unique index billing_checkouts_ref on billing_checkouts (provider, checkout_ref) where checkout_ref is not null;
create unique index billing_checkouts_subscription on billing_checkouts (provider, subscription_ref) where subscription_ref is not null;
create index billing_checkouts_told on billing_checkouts (told_at) where state = 'open' or subscription_ref is not null;
grant select, insert, update on billing_checkouts to svc_app;

-- What the provider has told, once each. It is read again from the provider before anything follows from it.
create table billing_deliveries (
  provider text not null,
  event_ref text not null,
  kind text not null,
  subject_ref text not null,
  received_at timestamptz not null default now(),
  primary key (provider, event_ref)
);
create index billing_deliveries_received on billing_deliveries (received_at);
grant select, insert on billing_deliveries to svc_app;

-- How a Workspace stands to the provider, as this was told last.
create table billing_accounts (
  workspace_id uuid primary key references workspaces,
  checkout_id uuid not null, -- the newest that was paid
  customer_ref text not null,
  subscription_ref text not null,
  seats integer not null check (seats > 0),
  standing text not null check (standing in ('paid', 'past_due', 'unpaid', 'cancelled')),
  standing_since timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create table billing_invoices (
  workspace_id uuid not null references billing_accounts,
  ref text not null,
  amount bigint not null,
  currency text not null,
  state text not null check (state in ('draft', 'open', 'paid', 'void', 'uncollectible')),
  url text,
  issued_at timestamptz not null,
  primary key (workspace_id, ref)
);
create index billing_invoices_newest on billing_invoices (workspace_id, issued_at desc);
-- What was paid for and added to a balance, once each.
create table knowledge_credit_top_ups (
  workspace_id uuid not null references knowledge_credits,
  id uuid not null, -- of the checkout
  credits bigint not null check (credits > 0),
  added_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
call protect_tenant('billing_accounts', 'select, insert, update');
call protect_tenant('billing_invoices', 'select, insert, update');
call protect_tenant('knowledge_credit_top_ups', 'select, insert');
grant insert on knowledge_credits to svc_app;

-- Two weeks in which the provider tries again, two of grace, and then the limits of Free. Who cancels has what was paid for until its end, and no grace.
create function billing_state(standing text, since timestamptz) returns text language sql stable parallel safe
  return case standing
    when 'paid' then 'active'
    when 'past_due' then case when now() < since + interval '14 days' then 'past_due' when now() < since + interval '28 days' then 'grace' else 'ended' end
    when 'unpaid' then case when now() < since + interval '14 days' then 'grace' else 'ended' end
    when 'cancelled' then 'ended'
  end;

-- The plan that counts now; none without a provider. An operator may give a Workspace a plan that nobody pays for.
create function plan_in_force(workspace uuid) returns setof billing_plans language sql stable parallel safe security definer set search_path = public, pg_temp
begin atomic
  select p.* from workspaces w left join billing_accounts a on a.workspace_id = w.id
  join billing_plans p on p.key = case when billing_state(a.standing, a.standing_since) = 'ended' then 'free' else w.plan end
  where w.id = workspace;
end;

create or replace function entitled(workspace uuid, entitlement text) returns boolean language sql stable parallel safe security definer set search_path = public, pg_temp
  return workspace is not null and entitlement is not null
    and (not exists (select from billing_plans) or exists (select from plan_in_force(workspace) p where entitlement = any(p.features)));

-- The most members, bytes of storage or Agents; null: as many as one likes. Of a plan that is paid by seats, as many members as there are seats.
create function plan_limit(workspace uuid, what text) returns bigint language sql stable parallel safe security definer set search_path = public, pg_temp
begin atomic
  select case what
    when 'members' then case when p.key = 'free' then p.members else least(p.members, (select a.seats from billing_accounts a where a.workspace_id = workspace)) end
    when 'storage' then p.storage
    when 'agents' then p.agents
  end from plan_in_force(workspace) p;
end;

create function plan_use(workspace uuid, what text) returns bigint language sql stable parallel safe security definer set search_path = public, pg_temp
  return case what
    when 'members' then (select count(*) from memberships m where m.workspace_id = workspace and m.state = 'active')
    when 'storage' then (select coalesce(sum(f.size), 0)::bigint from attachments f where f.workspace_id = workspace and f.state <> 'deleted')
    when 'agents' then (select count(*) from agents a where a.workspace_id = workspace and a.deleted_at is null)
  end;

-- For triggers: whoever adds to what a plan limits stands in line at the Workspace, so that of two who take the last place one has it.
create function hold_to_plan() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if plan_limit(new.workspace_id, tg_argv[0]) is null then return null; end if;
  perform from workspaces w where w.id = new.workspace_id for no key update;
  if plan_use(new.workspace_id, tg_argv[0]) > plan_limit(new.workspace_id, tg_argv[0]) then
    raise exception 'beyond the plan: %', tg_argv[0] using errcode = 'check_violation', constraint = 'within_plan';
  end if;
  return null;
end $$;
revoke all on function hold_to_plan from public;
