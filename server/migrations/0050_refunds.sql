-- Credits whose payment was given back are taken back, as far as they are left. Decision 0179.
alter table billing_checkouts add column payment_ref text; -- as the provider calls the payment of a single thing
alter table knowledge_credit_top_ups
  add column refunded bigint not null default 0 check (refunded between 0 and credits), -- of these the payment was given back
  add column taken_back bigint not null default 0 check (taken_back between 0 and refunded); -- and so many were left
grant update on knowledge_credit_top_ups to svc_app;
