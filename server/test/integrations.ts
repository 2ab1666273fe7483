// An installation with a resource, put into a Workspace by SQL, for tests of what stands on them.
import { createHmac } from "node:crypto";
import type { Reaching } from "../src/connect/integrations/client/provider-connection.ts";
import { signedPart } from "../src/connect/integrations/providers/errtrack/requests.ts";
import { noRules, signingRow } from "../src/connect/integrations/rules.ts";
import { egressTo } from "../src/platform/outside/egress.ts";
import { type Apps, originsFor } from "../src/platform/settings/apps-config.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { secretBox } from "../src/platform/wire/secret-box.ts";
import { newWebhookSecret, signed } from "../src/platform/wire/standard-webhooks.ts";
import { type TestService, testKeys } from "./world.ts";

/** With which deliveries for what was planted are signed. */
export const PLANTED_SECRET = newWebhookSecret();
/** The headers that a delivery with this body comes with. */
export const signedNow = (body: string | Buffer, id = newId(), secret = PLANTED_SECRET) =>
  signed([secret], id, Buffer.from(body), new Date());

/** The headers that a request of an error tracker comes with; `line` is its method and address. */
export const signedRequest = (line: string, body: string, secret = PLANTED_SECRET, id = newId(), now = new Date()) => {
  const [method = "", url = ""] = line.split(" ");
  return signed([secret], id, signedPart(method, url, Buffer.from(body)), now);
};

/** The same for Slack, which signs with the app's secret. */
export function signedBySlack(body: string | Buffer, secret: string): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1000));
  const mac = createHmac("sha256", secret).update(`v0:${time}:`).update(body).digest("hex");
  return { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${mac}` };
}

/** What background work of Integrations is done with, beside a service that has none. */
export const reachingFrom = ({ database, url }: TestService, apps: Apps = {}): Reaching => ({
  database,
  outside: {
    origin: () => url,
    secrets: secretBox(testKeys),
    integrations: { egressFor: (provider) => egressTo({ allow: originsFor(apps, provider) }), apps },
  },
});

interface Planted {
  provider?: string;
  externalId?: string;
  baseUrl?: string;
}
const INSTALLATION = `
with actor as (insert into actors (workspace_id, id, kind, name) values ($1, $2, 'service', 'Planted'))
insert into integration_installations (workspace_id, id, provider_key, base_url, external_id, account_name,
  management_url, actor_id, installed_by_actor_id, sealed_secret)
values ($1, $3, $4, $5, $6, 'Planted', 'https://example.com/', $2, $7, $8)`;
export async function plantInstallation(
  running: TestService,
  workspaceId: string,
  installer: string,
  { provider = "webhook", externalId = newId(), baseUrl = "" }: Planted = {},
) {
  const id = newId();
  const actorId = newId();
  const secret = secretBox(testKeys).seal(PLANTED_SECRET, signingRow(id));
  const values = [workspaceId, actorId, id, provider, baseUrl, externalId, installer, secret];
  await running.sql(INSTALLATION, values, workspaceId);
  return { id, revision: "1", actorId };
}

const RESOURCE = `
insert into integration_resources (workspace_id, id, installation_id, external_id, kind, name)
values ($1, $2, $3, $4, 'endpoint', $4)`;
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

const BOUND = `
with bound as (
  insert into integration_bindings (workspace_id, id, project_id, installation_id, resource_id, rules,
    created_by_actor_id) values ($1, $2, $3, $4, $5, $6, $7))
insert into integration_subscriptions (workspace_id, id, binding_id, event_kinds, created_by_actor_id)
values ($1, $8, $2, $9, $7)`;
interface Binding {
  installationId: string;
  resourceId: string;
  projectId: string;
  rules?: Record<string, unknown>;
  kinds?: readonly string[];
}
/** With a subscription to these kinds. */
export async function plantBinding(
  running: TestService,
  workspaceId: string,
  actorId: string,
  { installationId, resourceId, projectId, rules = {}, kinds = ["message"] }: Binding,
) {
  const id = newId();
  const all = { ...noRules, ...rules };
  const values = [workspaceId, id, projectId, installationId, resourceId, all, actorId, newId(), kinds];
  await running.sql(BOUND, values, workspaceId);
  return { id, revision: "1" };
}

const SUBSCRIPTION = `
insert into integration_subscriptions (workspace_id, id, binding_id, event_kinds, created_by_actor_id)
values ($1, $2, $3, $4, $5)`;
export async function plantSubscription(
  running: TestService,
  workspaceId: string,
  actorId: string,
  bindingId: string,
  kinds = ["message"],
) {
  const id = newId();
  await running.sql(SUBSCRIPTION, [workspaceId, id, bindingId, kinds, actorId], workspaceId);
  return { id, revision: "1" };
}

const IDENTITY = `insert into integration_identities (id, user_id, provider_key, base_url, external_id, name)
    values ($1, $2, 'gitlab', $3, $3, 'Octo')`;
/** Each at a provider of its own. */
export async function plantIdentity(running: TestService, userId: string) {
  const id = newId();
  await running.sql(IDENTITY, [id, userId, `https://${id}.example`]);
  return { id };
}

/** What a connector of one's own declares. */
export const declared = [
  {
    key: "deploy",
    name: "Deploy",
    input_schema: { type: "object", properties: { version: { type: "string", maxLength: 10 } }, required: ["version"] },
  },
];
/** An error tracker with the project 7, which is bound to a Project. */
export async function plantTracker(running: TestService, workspaceId: string, by: string, projectId: string) {
  const { id, actorId } = await plantInstallation(running, workspaceId, by, { provider: "errtrack" });
  const { id: resourceId } = await plantResource(running, workspaceId, id, "7");
  const bound = { projectId, installationId: id, resourceId, kinds: ["error"] };
  const { id: bindingId } = await plantBinding(running, workspaceId, by, bound);
  return { id, actorId, resourceId, bindingId };
}

const DECLARE = "update integration_installations set declared = $2, sealed_secret = $3 where id = $1";
/** A connector of one's own, bound to a Project. */
export async function plantConnector(
  running: TestService,
  workspaceId: string,
  by: string,
  projectId: string,
  baseUrl = "https://connector.example/",
) {
  const { id } = await plantInstallation(running, workspaceId, by, { provider: "private_connector", baseUrl });
  const secret = newWebhookSecret();
  const sealed = secretBox(testKeys).seal(secret, signingRow(id));
  await running.sql(DECLARE, [id, JSON.stringify({ actions: declared }), sealed], workspaceId);
  const resource = await plantResource(running, workspaceId, id);
  await plantBinding(running, workspaceId, by, { projectId, installationId: id, resourceId: resource.id });
  return { id, secret, resourceId: resource.id };
}

const DELIVERY = `
insert into integration_deliveries (workspace_id, id, installation_id, delivery_key, lane, kind, body, state, attempts,
  worked_at)
values ($1, $2::uuid, $3, $2::uuid::text, 'endpoint', 'message', $4, 'done', 1, now())`;
/** One that was worked, of something that nobody has told of before. */
export async function plantDelivery(running: TestService, workspaceId: string, installationId: string) {
  const id = newId();
  const body = JSON.stringify({ id, title: "Planted" });
  await running.sql(DELIVERY, [workspaceId, id, installationId, Buffer.from(body)], workspaceId);
  return { id };
}

const REQUEST = `insert into integration_requests (workspace_id, id, provider_key, note, requested_by_actor_id)
    values ($1, $2::uuid, 'p' || right($2::uuid::text, 12), 'Please', $3)`;
/** For a provider that nobody has asked for. */
export async function plantRequest(running: TestService, workspaceId: string, by: string) {
  const id = newId();
  await running.sql(REQUEST, [workspaceId, id, by], workspaceId);
  return { id, revision: "1" };
}
