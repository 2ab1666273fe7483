-- What a Workspace is entitled to, asked here and nowhere else. No billing provider can be configured yet, and without one everything is granted: decision 0158.
create function entitled(workspace uuid, entitlement text) returns boolean language sql stable parallel safe
  return workspace is not null and entitlement is not null;

-- Whether Documents that are in no Project belong to the index.
alter table knowledge_settings add column include_workspace_documents boolean not null default false;
