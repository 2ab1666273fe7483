-- Those who manage Integrations may decline what members ask for.
alter table integration_requests drop constraint integration_requests_state_check;
alter table integration_requests add constraint integration_requests_state_check check (state in ('open', 'closed', 'declined')) not valid;
