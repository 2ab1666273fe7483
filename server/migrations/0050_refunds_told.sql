-- no transaction
create index concurrently if not exists billing_checkouts_credits_told on billing_checkouts (told_at) where kind = 'credits' and state = 'completed';
