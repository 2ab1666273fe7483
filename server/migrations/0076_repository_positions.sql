-- Position in the journal up to which changes of the exported Documents were read: a commit starts a run of the knowledge repository. Decision 0116.
alter table knowledge_repositories add column followed_epoch text, add column followed_tx xid8;

-- Workspaces of these, or of all, that export and have something to read; held: an older transaction must end first. After a run that failed, the schedule tries again.
create function repository_backlog(workspaces uuid[]) returns table (workspace_id uuid, held boolean)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.workspace_id, coalesce(k.followed_epoch = journal_epoch() and f.tx >= pg_snapshot_xmin(pg_current_snapshot()), false)
  from knowledge_repositories k join workspaces w on w.id = k.workspace_id and w.archived_at is null left join lateral (
    select e.tx from domain_events e where e.workspace_id = k.workspace_id and e.tx >= k.followed_tx and e.tx < pg_snapshot_xmax(pg_current_snapshot())
    order by e.tx, e.id limit 1) f on true
  where k.state = 'active' and k.begun and k.direction <> 'in' and k.error_code is null and (workspaces is null or k.workspace_id = any(workspaces))
    and (f.tx is not null or k.followed_tx is null or k.followed_epoch is distinct from journal_epoch())
$$;
revoke all on function repository_backlog from public;
grant execute on function repository_backlog to svc_app;
