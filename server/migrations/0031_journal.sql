-- The journal: in which order events became visible. An event has the number of the transaction that it came with; those from before have none, and are
-- before every position. Decision 0123.
alter table domain_events add column tx xid8;
alter table domain_events alter column tx set default pg_current_xact_id();

-- Which journal it is. A number says something only in the cluster, the database and the timeline in which it was given out: a dump that was put back
-- elsewhere, or a cluster that was wound back, is another journal. So is one that an operator has renewed.
create table journal (
  one boolean primary key default true check (one),
  epoch uuid not null default gen_random_uuid()
);
insert into journal default values;
grant select on journal to svc_app;
create function journal_epoch() returns text language sql stable parallel safe as $$
  select concat_ws('.', j.epoch, c.system_identifier, d.oid, left(pg_walfile_name(pg_current_wal_lsn()), 8))
  from journal j, pg_control_system() c, pg_database d where d.datname = current_database()
$$;
