-- no transaction
-- attachments_swept took its place (0043).
drop index concurrently if exists attachments_detached;
