-- A process confirms every second that it holds its lock. A process whose lock is free and was not confirmed for a while is gone.
alter table processes rename column registered_at to confirmed_at;
