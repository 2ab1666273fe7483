-- no transaction
-- attachments_detached took its place (0023).
drop index concurrently if exists attachments_loose;
