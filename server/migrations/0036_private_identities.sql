-- What lets somebody in tells them (0036_private_changes): the accounts elsewhere.
create trigger identities_added after insert on identities for each row execute function note_own_change('identity');
create trigger identities_changed after update on identities for each row when (old.revision <> new.revision) execute function note_own_change('identity');
create trigger identities_removed after delete on identities for each row execute function note_own_change('identity');
