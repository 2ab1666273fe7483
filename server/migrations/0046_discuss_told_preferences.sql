-- Preferences are a change of a member's conversation, too, told by its number in the stream. The function comes with the reminders, before this.
alter table discuss_preferences add column change_sequence bigint, add column created_change bigint;
create trigger discuss_preferences_numbered before insert or update on discuss_preferences for each row execute function number_discuss_change();
