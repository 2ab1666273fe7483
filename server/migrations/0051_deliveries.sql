-- How often somebody had a delivery worked again: what each of these does is done once, beside what was done before.
alter table integration_deliveries add column replays integer not null default 0;
