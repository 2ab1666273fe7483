-- Marks prove that a copy of the database still has the history that a cursor has seen. A mark is committed after everything below its position: a database
-- that has the mark has all of that. Decision 0214.
create function journal_timeline() returns text language sql stable parallel safe as $$ select left(pg_walfile_name(pg_current_wal_lsn()), 8) $$;

-- The key has a transaction number, so that a backup leaves the table out.
create table journal_marks (
  position xid8 not null default pg_snapshot_xmin(pg_current_snapshot()),
  id uuid not null default gen_random_uuid(),
  timeline text not null default journal_timeline(),
  marked_at timestamptz not null default clock_timestamp(),
  primary key (position, id)
);
create index journal_marks_made on journal_marks (timeline, marked_at);
grant select, insert on journal_marks to svc_app;
insert into journal_marks default values;

-- The journal changes with the database, not with the timeline: a promotion continues it.
create or replace function journal_epoch() returns text language sql stable parallel safe as $$
  select concat_ws('.', j.epoch, c.system_identifier, d.oid) from journal j, pg_control_system() c, pg_database d where d.datname = current_database()
$$;

-- Digest of what the journal of a Workspace has from one position to another; the nil Workspace has the accounts.
create function journal_digest(workspace uuid, since xid8, upto xid8) returns text language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return (select count(*) || ':' || coalesce(sum(d.hash), 0) from (
    select hashtextextended(e.id::text, 0)::numeric as hash from domain_events e where e.workspace_id = workspace and e.tx >= since and e.tx < upto
    union all
    select hashtextextended(concat_ws(' ', c.tx, c.owner_id, c.kind, c.id, c.action, c.revision), 0)
    from private_changes c where c.workspace_id = workspace and c.tx >= since and c.tx < upto) d);
end $$;

-- Proof of what a reader at a position has seen: the last mark below it, and a digest of what follows.
create function journal_proof(workspace uuid, upto xid8) returns text language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  mark record;
begin
  select k.position, k.id into mark from journal_marks k where k.position <= upto order by k.position desc, k.id limit 1;
  return concat_ws('.', journal_timeline(), workspace, upto, mark.position, mark.id, journal_digest(workspace, mark.position, upto));
end $$;

-- Whether this database has everything that a proof was made from, and nothing else below its position.
create function journal_proves(proof text) returns boolean language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  part text[] := string_to_array(proof, '.');
begin
  return cardinality(part) = 6 and exists (select from journal_marks k where k.position = part[4]::xid8 and k.id = part[5]::uuid)
    and journal_digest(part[2]::uuid, part[4]::xid8, part[3]::xid8) = part[6];
end $$;

-- Whether this database has a mark that was made on a timeline after a moment: then it has everything committed there before that moment.
create function journal_marked_since(of_timeline text, since timestamptz) returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from journal_marks k where k.timeline = of_timeline and k.marked_at > since)
$$;
revoke all on function journal_digest, journal_proof, journal_proves, journal_marked_since from public;
grant execute on function journal_proof, journal_proves, journal_marked_since to svc_app;
