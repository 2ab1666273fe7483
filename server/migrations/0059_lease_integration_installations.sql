alter table integration_installations add column refreshing_process integer; -- processes.id of the process that gets new tokens
