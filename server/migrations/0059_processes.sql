-- Processes that run background work. Each holds a session-level advisory lock for as long as it lives, and its leases name it: a free lock proves that the process is gone, and
-- its leases are released at once. The time limit of each lease is the safety net. Only the owner of the tables reads this one. Decision 0216.
create table processes (
  id integer primary key, -- second key of the lock, see process_lock()
  server timestamptz not null, -- start of the PostgreSQL server on which the lock was last confirmed, or its last recovery from a crash: both free all locks
  workers text[] not null default '{}', -- under these names it locks jobs
  registered_at timestamptz not null default now()
);
-- First key of the lock, unused by any other one.
create function process_lock() returns integer language sql immutable as $$ select 20590 $$;
create function process_lives(process integer) returns boolean language sql stable set search_path = pg_catalog, public as $$
  select exists (select from pg_locks l where l.locktype = 'advisory' and l.granted and l.classid = process_lock()::oid and l.objid = process::oid and l.objsubid = 2
    and l.database = (select d.oid from pg_database d where d.datname = current_database()))
$$;
revoke all on table processes from public;
revoke all on function process_lock, process_lives from public;
