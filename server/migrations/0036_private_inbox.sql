-- An inbox tells its owner (0036_private_changes).
create trigger inbox_items_added after insert on inbox_items referencing new table as added for each statement execute function note_inbox_added();
create trigger inbox_items_changed after update on inbox_items referencing old table as removed new table as added for each statement execute function note_inbox_changed();
create trigger inbox_items_removed after delete on inbox_items referencing old table as removed for each statement execute function note_inbox_removed();
