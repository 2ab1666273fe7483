-- What lets somebody in tells them (0036_private_changes): the grants of clients.
create trigger oauth_grants_added after insert on oauth_grants for each row execute function note_own_change('grant');
create trigger oauth_grants_changed after update on oauth_grants for each row when (old.revision <> new.revision or old.revoked_at is distinct from new.revoked_at) execute function note_own_change('grant');
create trigger oauth_grants_removed after delete on oauth_grants for each row execute function note_own_change('grant');
