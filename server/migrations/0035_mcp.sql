-- The program that acted for a person, by its name, in what tells of a write: tokens and grants go in time, and the log and the feed stay.
-- Only adds. Row-level security and the grants of both tables cover it.
alter table audit_log add column client text;
alter table domain_events add column client text;

-- Sealed with the rest. A row without one has the digest that it always had, so that seals which were made before stay good.
create or replace function audit_digest(span_from timestamptz, span_to timestamptz, out row_count bigint, out digest bytea) language sql stable
  as $$
    select count(*), sha256(coalesce(string_agg(sha256(convert_to(
      json_build_array(workspace_id, id, operation, user_id, actor_id, credential_id, credential_kind, target_id, correlation_id,
        extract(epoch from occurred_at))::text || case when client is null then '' else to_json(client)::text end, 'UTF8')), ''::bytea order by workspace_id, id), ''::bytea))
    from audit_log where occurred_at >= span_from and occurred_at < span_to
  $$;
