alter table discuss_runs add column lease_process integer; -- processes.id of the lease's holder
