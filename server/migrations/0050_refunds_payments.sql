-- no transaction
create unique index concurrently if not exists billing_checkouts_payment on billing_checkouts (provider, payment_ref) where payment_ref is not null;
