-- Random tokens of the last changes of a conversation, the newest first. A client that knows the token of the last change that it saw lost nothing in a
-- promotion if the token is still there: a change that was lost and made again has another one. Decision 0214.
alter table discuss_streams add column change_tokens integer[] not null default '{}';

create function add_change_token() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  added bigint := new.change_sequence - coalesce(old.change_sequence, 0);
  token integer := floor(random() * 2147483647);
begin
  new.change_tokens := (array_fill(token, array[least(greatest(added, 0), 64)::integer]) || new.change_tokens)[1:64];
  return new;
end $$;
create trigger discuss_streams_tokens before insert or update of change_sequence on discuss_streams for each row execute function add_change_token();
