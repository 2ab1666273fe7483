-- A call without a key of its own may be made again once its result is out of date: the write then replaces the stored answer in its own transaction.
grant delete on idempotency_keys to svc_app;
