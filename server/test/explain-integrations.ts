// Integrations: everything that connecting, binding and ending them touches is found by an index. Part of
// explain.slow.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import {
  keepTokens,
  noteState,
  releaseRefresh,
  takeRefresh,
} from "../src/connect/integrations/install/credential-store.ts";
import { hookIntegration } from "../src/connect/integrations/install/hooks.ts";
import { keepIdentity, linkIdentity } from "../src/connect/integrations/install/identity-store.ts";
import { hookedResources } from "../src/connect/integrations/install/resource-store.ts";
import { endIntegration, refreshIntegration } from "../src/connect/integrations/jobs.ts";
import { performAction } from "../src/connect/integrations/send/run-action.ts";
import { inWorkspace } from "../src/platform/background/jobs.ts";
import { explaining } from "./explained.ts";
import {
  plantConnector,
  plantDelivery,
  plantRequest,
  plantTracker,
  reachingFrom,
  signedRequest,
} from "./integrations.ts";
import { newKey } from "./world.ts";

const { running, seen, explainUndone, allFaultsOf } = explaining();
/** How many statements it sends; each finds what it is about by an index. */
const shownBy = async (work: () => Promise<unknown>) => {
  seen.recorded = [];
  await work();
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
  return statements.size;
};

test("connections and what belongs to them are found by an index, whatever is done with them", async () => {
  const { owner, workspaceId } = seen.loaded.home;
  const at = `/workspaces/${workspaceId}`;
  // There is no room for one more.
  const full = `update integration_installations set removed_at = now(), state = 'revoked'
      where workspace_id = $1 and provider_key = 'webhook'`;
  await running.sql(full, [workspaceId], workspaceId);
  seen.recorded = [];
  const body = { provider_key: "webhook", name: "Alarm" };
  const made = await owner.call("POST", `${at}/integration-authorizations/credential`, { body });
  const one = `/integration-installations/${made.body.id}`;
  const asked = await plantRequest(running, workspaceId, owner.actorId);
  const delivered = await plantDelivery(running, workspaceId, made.body.id);
  const answers = [
    made,
    await owner.call("GET", one),
    await owner.call("POST", `${at}/integration-requests`, { body: { provider_key: "webhook" } }),
    await owner.call("POST", `${one}/management-link`),
    await owner.call("POST", `${one}/resources/refresh`),
    await owner.call("POST", `/integration-requests/${asked.id}/decline`),
    await owner.call("POST", `/integration-deliveries/${delivered.id}/replay`, { key: newKey() }),
  ];
  const [resource] = (await owner.call("GET", `${one}/resources`)).body.items;
  const bindings = `/projects/${seen.loaded.projectId}/integration-bindings`;
  // There is no room for one more here, either.
  const unbind = "delete from integration_bindings where workspace_id = $1 and project_id = $2";
  await running.sql(unbind, [workspaceId, seen.loaded.projectId], workspaceId);
  const binding = await owner.call("POST", bindings, {
    body: { installation_id: made.body.id, resource_id: resource.id },
  });
  const bound = `/integration-bindings/${binding.body.id}`;
  const subscribed = await owner.call("POST", `${bound}/subscriptions`, { body: { event_kinds: ["message"] } });
  const any = { headers: { "if-match": "*" } };
  const further = [
    binding,
    subscribed,
    await owner.call("PATCH", `/integration-subscriptions/${subscribed.body.id}`, { body: { enabled: false }, ...any }),
    await owner.call("PATCH", bound, { body: { rules: { merged_status_id: seen.loaded.task.status_id } }, ...any }),
  ];
  expect(further.map(({ status }) => status)).toEqual([201, 201, 200, 200]);
  await hookIntegration(reachingFrom(running), { workspace_id: workspaceId, resource_id: resource.id });
  expect((await owner.call("DELETE", bound)).status).toBe(204);
  const begun = await owner.call("POST", `${at}/integration-authorizations`, {
    body: { provider_key: "gitlab", purpose: "installation" },
  });
  const state = new URL(begun.body.authorize_url).searchParams.get("state");
  expect((await owner.call("GET", `/integration-authorizations/callback?state=${state}`)).status).toBe(302);
  await inWorkspace(running.database.writer, workspaceId, async (tx) => {
    const linking = {
      userId: owner.userId,
      providerKey: "gitlab",
      baseUrl: "",
      person: { externalId: "1", name: "octo" },
    };
    await keepIdentity(tx, linking);
    await linkIdentity(tx, { ...linking, person: { externalId: "2", name: "octo" } });
    await takeRefresh(tx, made.body.id, "sealed");
    await keepTokens(tx, made.body.id, "sealed", "other", null);
    await releaseRefresh(tx, made.body.id, "sealed");
    await noteState(tx, made.body.id, "degraded", "unreachable");
    await hookedResources(tx, made.body.id);
  });
  const which = { workspace_id: workspaceId, installation_id: made.body.id };
  await refreshIntegration(reachingFrom(running), which);
  answers.push(await owner.call("DELETE", one));
  await endIntegration(reachingFrom(running), which);
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 201, 409, 202, 200, 202, 204]);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(40);
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("actions are asked for, done and read without looking at others", async () => {
  const { home, projectId } = seen.loaded;
  const { owner, workspaceId } = home;
  const { id, resourceId } = await plantConnector(running, workspaceId, owner.actorId, projectId, "https://127.0.0.1/");
  const asked = { installation_id: id, resource_id: resourceId, action: "deploy", input: { version: "1" } };
  const count = await shownBy(async () => {
    const made = await owner.call("POST", "/integration-actions", { body: asked, key: newKey() });
    await performAction(reachingFrom(running), { workspace_id: workspaceId, id: made.body.id });
    const ended = await owner.call("GET", `/integration-actions/${made.body.id}`);
    expect([made.status, ended.body.error_code]).toEqual([201, "address_refused"]);
    expect((await owner.call("GET", `/integration-installations/${id}/actions`)).status).toBe(200);
  });
  expect(count).toBeGreaterThan(10);
});

test("an error tracker is answered without looking at what is not bound to it", async () => {
  const { home, projectId, task } = seen.loaded;
  const { owner, workspaceId } = home;
  const { id, bindingId } = await plantTracker(running, workspaceId, owner.actorId, projectId);
  const at = "/integrations/errtrack";
  const get = (path: string) =>
    running.send("GET", `${at}${path}`, { headers: signedRequest(`GET /api/v1${at}${path}`, "") });
  const post = (path: string, body: object) => {
    const raw = JSON.stringify({ installationId: id, ...body });
    const headers = { "content-type": "application/json", ...signedRequest(`POST /api/v1${at}${path}`, raw) };
    return running.send("POST", `${at}${path}`, { raw, headers });
  };
  const issue = { issueId: 1, webUrl: "https://errors.example.com/1", project: { id: 7 } };
  const count = await shownBy(async () => {
    const answers = [
      await get(`/options/bindings?installationId=${id}`),
      await get(`/options/tasks?installationId=${id}&projectSlug=7`),
      await get(`/options/tasks?installationId=${id}&projectSlug=7&query=gears`),
      await post("/issues/create", { ...issue, fields: { title: "It fails" } }),
      await post("/issues/create", { ...issue, fields: { title: "It fails" } }),
      await post("/issues/link", { ...issue, fields: { task: task.id } }),
      await post("/alert-action", { fields: [{ name: "binding", value: bindingId }] }),
      await owner.call("POST", `/integration-bindings/${bindingId}/errtrack-readiness`),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });
  expect(count).toBeGreaterThan(15);
});
