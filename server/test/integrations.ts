// An installation with a resource, put into a Workspace by SQL, for tests of what stands on them.
import { newId } from "../src/wire/ids.ts";
import type { TestService } from "./world.ts";

interface Planted {
  provider?: string;
  externalId?: string;
  baseUrl?: string;
}
const INSTALLATION = `
with actor as (insert into actors (workspace_id, id, kind, name) values ($1, $2, 'service', 'Planted'))
insert into integration_installations (workspace_id, id, provider_key, base_url, external_id, account_name, actor_id, installed_by_actor_id)
values ($1, $3, $4, $5, $6, 'Planted', $2, $7)`;
export async function plantInstallation(
  running: TestService,
  workspaceId: string,
  installer: string,
  { provider = "webhook", externalId = newId(), baseUrl = "" }: Planted = {},
) {
  const id = newId();
  const values = [workspaceId, newId(), id, provider, baseUrl, externalId, installer];
  await running.sql(INSTALLATION, values, workspaceId);
  return { id, revision: "1" };
}

const RESOURCE = `
insert into integration_resources (workspace_id, id, installation_id, external_id, kind, name) values ($1, $2, $3, $4, 'endpoint', $4)`;
export async function plantResource(
  running: TestService,
  workspaceId: string,
  installationId: string,
  externalId = "endpoint",
) {
  const id = newId();
  await running.sql(RESOURCE, [workspaceId, id, installationId, externalId], workspaceId);
  return { id };
}
