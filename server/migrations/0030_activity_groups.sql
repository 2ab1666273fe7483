-- no transaction
-- What happened to one thing that is no Task: a Project, a Milestone, a Document.
create index concurrently if not exists domain_events_of_resource on domain_events (workspace_id, resource_id, occurred_at desc, id desc) where task_id is null and activity is not null;
