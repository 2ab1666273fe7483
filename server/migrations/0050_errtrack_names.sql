-- no transaction
create index concurrently if not exists integration_installations_signs_as on integration_installations (provider_key, signs_as) where signs_as is not null and removed_at is null;
