-- Background work: enqueuing for the application's role, and the seals over the audit log.

-- graphile-worker's tables belong to the owner; the application may only add jobs, and only within its own transaction.
-- Of the jobs in one queue one runs at a time; one with the key of another that waits takes its place.
create function enqueue_job(name text, payload json, run_at timestamptz default now(), queue text default null, key text default null) returns void
  language sql security definer set search_path = pg_catalog
  as $$ select graphile_worker.add_job(name, payload, queue_name => queue, run_at => run_at, job_key => key) $$;
revoke all on function enqueue_job from public;
grant execute on function enqueue_job to svc_app;

create index audit_log_occurred on audit_log using brin (occurred_at);

-- A seal covers the audit rows of a span of time and the seal before it. Its mac is made outside the database, with a key that is not in it.
-- The first of those that are left, where older ones were pruned, says so in a mac of its own.
create table audit_seals (
  number bigint primary key, -- from 1, without a gap
  sealed_from timestamptz not null,
  sealed_to timestamptz not null,
  row_count bigint not null,
  digest bytea not null,
  key_id text not null,
  mac bytea not null,
  pruned_key_id text,
  pruned_mac bytea
);

create function audit_digest(span_from timestamptz, span_to timestamptz, out row_count bigint, out digest bytea) language sql stable
  as $$
    select count(*), sha256(coalesce(string_agg(sha256(convert_to(
      json_build_array(workspace_id, id, operation, user_id, actor_id, credential_id, credential_kind, target_id, correlation_id,
        extract(epoch from occurred_at))::text, 'UTF8')), ''::bytea order by workspace_id, id), ''::bytea))
    from audit_log where occurred_at >= span_from and occurred_at < span_to
  $$;

-- What is to be sealed next, of about so many rows; its row_count is 0 where nothing is. The last minute stays open, and what a transaction
-- that is still writing may add: a row has the time at which its transaction began.
create function audit_span(most bigint, out number bigint, out previous bytea, out sealed_from timestamptz, out sealed_to timestamptz, out row_count bigint, out digest bytea)
language plpgsql stable as $$
begin
  select s.number + 1, s.mac, s.sealed_to into number, previous, sealed_from from audit_seals s order by s.number desc limit 1;
  number := coalesce(number, 1);
  previous := coalesce(previous, ''::bytea);
  sealed_from := coalesce(sealed_from, '-infinity');
  select least(now() - interval '1 minute', min(a.xact_start)) into sealed_to
    from pg_stat_activity a where a.datname = current_database() and a.backend_xid is not null and a.pid <> pg_backend_pid();
  sealed_to := coalesce((
    select l.occurred_at from audit_log l where l.occurred_at >= sealed_from and l.occurred_at < sealed_to and l.occurred_at > (
      select min(m.occurred_at) from audit_log m where m.occurred_at >= sealed_from and m.occurred_at < sealed_to)
    order by l.occurred_at offset most limit 1), sealed_to);
  select d.row_count, d.digest into row_count, digest from audit_digest(sealed_from, sealed_to) d;
end $$;

revoke all on function audit_digest, audit_span from public;
