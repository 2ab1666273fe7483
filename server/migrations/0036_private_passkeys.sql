-- What lets somebody in tells them (0036_private_changes): passkeys.
create trigger passkeys_added after insert on passkeys for each row execute function note_own_change('passkey');
create trigger passkeys_changed after update on passkeys for each row when (old.revision <> new.revision) execute function note_own_change('passkey');
create trigger passkeys_removed after delete on passkeys for each row execute function note_own_change('passkey');
