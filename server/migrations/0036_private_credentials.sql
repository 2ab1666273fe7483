-- What lets somebody in tells them (0036_private_changes): sessions and tokens, as their own lists show them.
create trigger credentials_added after insert on credentials for each row when (new.kind in ('session', 'personal')) execute function note_own_change('credential');
create trigger credentials_changed after update on credentials for each row
  when (new.kind in ('session', 'personal') and (old.revision <> new.revision or old.revoked_at is distinct from new.revoked_at)) execute function note_own_change('credential');
create trigger credentials_removed after delete on credentials for each row
  when (old.kind in ('session', 'personal') and old.revoked_at is null) execute function note_own_change('credential');
