-- When what was typed last became a revision: reads within 30 s of it make no other one.
alter table collaboration_texts add column sealed_at timestamptz;
