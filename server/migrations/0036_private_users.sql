-- An account tells its person (0036_private_changes).
create trigger users_changed after update on users for each row when (old.revision <> new.revision) execute function note_own_change('account');
