-- Counts of the limits that protect accounts, over all processes: see server/src/database/attempt-limits.ts. They belong to no Workspace, name nobody, and are swept. Decision 0217.
create table attempt_limits (
  key bytea primary key, -- hash of class and subject
  full_at timestamptz not null -- when its bucket is full again
);
grant select, insert, update on attempt_limits to svc_app;
