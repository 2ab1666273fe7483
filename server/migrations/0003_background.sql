-- Background work: enqueuing for the application's role, and the seals over the audit log.

-- graphile-worker's tables belong to the owner; the application may only add jobs, and only within its own transaction.
-- Of the jobs in one queue one runs at a time; one with the key of another that waits takes its place.
create function enqueue_job(name text, payload json, run_at timestamptz default now(), queue text default null, key text default null) returns void
  language sql security definer set search_path = pg_catalog
  as $$ select graphile_worker.add_job(name, payload, queue_name => queue, run_at => run_at, job_key => key) $$;
revoke all on function enqueue_job from public;
grant execute on function enqueue_job to svc_app;

create index audit_log_occurred on audit_log using brin (occurred_at);

-- A seal covers the audit rows of a span of time and the seal before it: changing or removing a row, or a seal, breaks the chain.
create table audit_seals (
  sealed_to timestamptz primary key,
  sealed_from timestamptz not null unique,
  row_count bigint not null,
  hash bytea not null
);

create function audit_hash(span_from timestamptz, span_to timestamptz, previous bytea, out row_count bigint, out hash bytea) language sql stable
  as $$
    select count(*), sha256(previous || coalesce(string_agg(sha256(convert_to(
      json_build_array(workspace_id, id, operation, user_id, actor_id, credential_id, credential_kind, target_id, correlation_id,
        extract(epoch from occurred_at))::text, 'UTF8')), ''::bytea order by workspace_id, id), ''::bytea))
    from audit_log where occurred_at >= span_from and occurred_at < span_to
  $$;

-- The last minute stays open: a transaction that began in it may still commit.
create function seal_audit() returns bigint language plpgsql as $$
declare
  last audit_seals;
  target timestamptz := now() - interval '1 minute';
  sealed record;
begin
  perform pg_advisory_xact_lock(hashtext('seal_audit'));
  select * into last from audit_seals order by sealed_to desc limit 1;
  if last.sealed_to >= target then return 0; end if;
  sealed := audit_hash(coalesce(last.sealed_to, '-infinity'), target, coalesce(last.hash, ''::bytea));
  if sealed.row_count = 0 then return 0; end if;
  insert into audit_seals values (target, coalesce(last.sealed_to, '-infinity'), sealed.row_count, sealed.hash);
  return sealed.row_count;
end $$;

-- The spans whose rows or whose predecessor are not what was sealed; none in a sound log.
create function broken_audit_seals() returns setof audit_seals language sql stable as $$
  select s.* from audit_seals s
  left join audit_seals before on before.sealed_to = s.sealed_from
  cross join lateral audit_hash(s.sealed_from, s.sealed_to, coalesce(before.hash, ''::bytea)) actual
  where actual.hash <> s.hash or actual.row_count <> s.row_count or (before.sealed_to is null and s.sealed_from <> '-infinity')
$$;

revoke all on function seal_audit, broken_audit_seals, audit_hash from public;
