-- Files within what the plan gives.
create trigger attachments_within_plan after insert on attachments for each row execute function hold_to_plan('storage');
