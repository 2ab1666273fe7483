-- What an error tracker asks for. Decision 0186.

-- The provider's own id of the installation, where it signs with a secret of its own and names it so.
alter table integration_installations add column signs_as text;

-- A request names an installation before any Workspace is known: by our id or, where somebody has said so, by the provider's. Whose of them it is, the signature tells.
create function integration_asked(provider text, named text) returns table (workspace_id uuid, id uuid, actor_id uuid, sealed_secret text, slug text)
language sql stable security definer set search_path = public, pg_temp as $$
  select i.workspace_id, i.id, i.actor_id, i.sealed_secret, w.slug from (
    select o.* from integration_installations o
    where o.id = case when named ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then named::uuid end and o.removed_at is null and o.signs_as is null
    union all
    select s.* from integration_installations s where s.provider_key = provider and s.signs_as = named and s.removed_at is null) i
  join workspaces w on w.id = i.workspace_id
  where i.provider_key = provider and i.state <> 'revoked' and w.archived_at is null order by i.id limit 20
$$;
revoke all on function integration_asked from public;
grant execute on function integration_asked to svc_app;
