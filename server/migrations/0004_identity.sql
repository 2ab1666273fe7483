-- Getting in: links sent by mail, second factors, passkeys, identities of other providers, OAuth clients and what they were granted.
-- These belong to accounts and not to a Workspace, and are read before anybody is known, so row-level security cannot stand in front of
-- them. Secrets are kept as SHA-256, or sealed where they must be read back. What may be used once has used_at.

-- Where mail goes on a machine without SMTP: sealed, readable at /dev/mail on loopback. With SMTP it holds only what was sent, so that
-- nothing is sent twice.
create table mail_outbox (
  id uuid primary key,
  sealed text, -- null once a mail server has it
  created_at timestamptz not null default now()
);
create index mail_outbox_created on mail_outbox (created_at);

-- One of a kind for each account: a newer one takes the place of the older, and nobody's mailbox is flooded.
create table email_links (
  user_id uuid not null references users,
  kind text not null check (kind in ('email_verification', 'password_reset', 'email_change')),
  token_hash bytea not null,
  email text not null, -- the address that it was sent to, and that it proves
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (user_id, kind),
  constraint email_links_token unique (token_hash)
);
create index email_links_expired on email_links (expires_at);

create table second_factors (
  user_id uuid primary key references users,
  secret_sealed text not null,
  confirmed_at timestamptz,
  last_step integer, -- of the last code that was accepted: none is accepted twice
  wrong_codes integer not null default 0, -- since the last one that was accepted, over all challenges
  closed_until timestamptz, -- after too many of them: until then only a recovery code is looked at
  created_at timestamptz not null default now()
);
create table recovery_codes (
  user_id uuid not null references users,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);
create table sign_in_challenges (
  id uuid primary key,
  user_id uuid not null references users,
  token_hash bytea not null,
  family text not null check (family in ('browser', 'native')), -- who started it, and who alone can complete it
  password_mark bytea not null, -- of the password that it was started with: it dies when that is changed
  remembered boolean not null,
  context jsonb not null default '{}', -- what a native or OAuth sign-in goes on with
  wrong_codes smallint not null default 0,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint sign_in_challenges_token unique (token_hash)
);
create index sign_in_challenges_expired on sign_in_challenges (expires_at);

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  backup_eligible boolean not null,
  backup_state boolean not null,
  name text not null,
  disabled_at timestamptz, -- for ever, once its counter has gone back
  last_used_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint passkeys_credential unique (credential_id)
);
create index passkeys_of_user on passkeys (user_id, id);
create table passkey_ceremonies (
  token_hash bytea primary key,
  kind text not null check (kind in ('register', 'login', 'reauthenticate')),
  user_id uuid references users, -- null for a login: nobody is named before its answer
  challenge text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index passkey_ceremonies_expired on passkey_ceremonies (expires_at);

create table identities (
  id uuid primary key,
  user_id uuid not null references users,
  provider text not null,
  subject text not null,
  email text,
  last_used_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint identities_subject_taken unique (provider, subject)
);
create unique index identities_one_per_provider on identities (user_id, provider);
create table provider_requests (
  state_hash bytea primary key,
  provider text not null,
  sealed text not null, -- nonce, PKCE verifier, return_to
  user_id uuid references users, -- set where somebody is signed in, and links an identity or proves to be still there
  expires_at timestamptz not null,
  used_at timestamptz
);
create index provider_requests_expired on provider_requests (expires_at);

create table oauth_clients (
  id text primary key,
  name text not null,
  redirect_uris text[] not null,
  scopes text[] not null,
  refreshes boolean not null default true, -- whether it has registered for refresh tokens
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
-- One consent: the tokens of its family live and die with it.
create table oauth_grants (
  id uuid primary key,
  family text not null check (family in ('developer', 'native', 'mcp')),
  client_id text not null,
  client_name text not null,
  user_id uuid not null references users,
  workspace_id uuid references workspaces,
  scopes text[] not null,
  resource text,
  refreshes boolean not null default true,
  device_name text,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index oauth_grants_of_user on oauth_grants (user_id, family, id) where revoked_at is null;
alter table credentials add constraint credentials_grant foreign key (grant_id) references oauth_grants;
create table oauth_codes (
  code_hash bytea primary key,
  grant_id uuid not null references oauth_grants,
  redirect_uri text not null,
  code_challenge text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index oauth_codes_expired on oauth_codes (expires_at);
create table oauth_refresh_tokens (
  token_hash bytea primary key,
  grant_id uuid not null references oauth_grants,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index oauth_refresh_tokens_of_grant on oauth_refresh_tokens (grant_id);
create index oauth_refresh_tokens_expired on oauth_refresh_tokens (expires_at);

create table push_endpoints (
  id uuid primary key,
  user_id uuid not null references users,
  credential_id uuid references credentials on delete cascade, -- the session that subscribed
  grant_id uuid references oauth_grants, -- the native grant that registered its device
  kind text not null check (kind in ('browser', 'ios', 'android')),
  address_hash bytea not null, -- of the URL or token: what it leads to belongs to whoever registered it last
  sealed text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint push_endpoints_address unique (address_hash),
  check (num_nonnulls(credential_id, grant_id) = 1)
);
create unique index push_endpoints_of_session on push_endpoints (credential_id) where credential_id is not null;
create unique index push_endpoints_of_grant on push_endpoints (grant_id) where grant_id is not null;
create index push_endpoints_of_user on push_endpoints (user_id);
-- The end of a session or of a grant, on whichever way it comes, ends the pushing in the same transaction.
create function end_pushing() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'credentials' then delete from push_endpoints where credential_id = new.id;
  else delete from push_endpoints where grant_id = new.id;
  end if;
  return null;
end $$;
create trigger credentials_end_pushing after update of revoked_at on credentials
  for each row when (new.revoked_at is not null) execute function end_pushing();
create trigger oauth_grants_end_pushing after update of revoked_at on oauth_grants
  for each row when (new.revoked_at is not null) execute function end_pushing();

grant select, insert, update, delete on mail_outbox, email_links, second_factors, recovery_codes, sign_in_challenges, passkeys, passkey_ceremonies,
  identities, provider_requests, oauth_clients, oauth_grants, oauth_codes, oauth_refresh_tokens, push_endpoints to svc_app;
