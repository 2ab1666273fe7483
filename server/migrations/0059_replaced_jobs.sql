-- add_job and remove_job take the key from a job that runs, or that has failed for good, and use up its attempts: another job does its work from now on. The flag tells such a
-- job from one that failed at every attempt.
create function flag_replaced_job() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.flags := coalesce(new.flags, '{}') || '{"replaced": true}';
  return new;
end $$;
create trigger flag_replaced before update of key on graphile_worker._private_jobs
  for each row when (old.key is not null and new.key is null) execute function flag_replaced_job();
-- Jobs that were replaced before this release: whatever fails by itself leaves an error at each attempt.
delete from graphile_worker._private_jobs where attempts >= max_attempts and max_attempts > 1 and locked_at is null and last_error is null;
