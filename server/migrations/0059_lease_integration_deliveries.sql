alter table integration_deliveries add column lease_process integer; -- processes.id of the lease's holder; null where it only waits after a failure
