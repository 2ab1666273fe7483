-- Files in somebody's private stream of Discuss: seen by nobody else, and attached to nothing. Decision 0168.
-- The constraint is not validated, which would look through all files: none of those that are there is private.
alter table attachments add column private boolean not null default false;
alter table attachments add constraint attachments_private check (not private or attached_at is null) not valid;

-- Release 0.5 takes a file that is attached to nothing for one that nobody needs: drop this one release later. What we delete is private no more.
create function keep_private_file() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger keep_private_file before update of state on attachments
  for each row when (old.state = 'stored' and new.state = 'deleted' and new.private) execute function keep_private_file();
