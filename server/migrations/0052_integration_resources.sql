-- What is wrong with one resource of a connection, while the rest of it works. Decision 0196.
alter table integration_resources add column error_code text;
