// A customer's own service: connected with what it declares, asked by signed calls, and believed only where its answers
// are signed.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { plantConnector, reachingFrom } from "../../../test/integrations.ts";
import { countingService, resolvedHosts, resolvingService } from "../../../test/resolving.ts";
import { newProject } from "../../../test/work.ts";
import { newKey, service, type World, world } from "../../../test/world.ts";
import { isSigned, newWebhookSecret, signed } from "../../platform/wire/standard-webhooks.ts";
import { performAction } from "./send/run-action.ts";

const running = service();

/** The customer's service: it keeps what it was asked, and answers as a test wants. */
interface Call {
  headers: IncomingMessage["headers"];
  body: Buffer;
}
const calls: Call[] = [];
let answers: (call: Call, response: ServerResponse) => void;
const server = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const call = { headers: request.headers, body: Buffer.concat(pieces) };
  calls.push(call);
  answers(call, response);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const connect = (home: World, body: object, person = home.owner) =>
  person.call("POST", `/workspaces/${home.workspaceId}/integration-private-connectors`, { body });
const action = (key: string, input_schema: object = { type: "object" }) => ({ key, input_schema });
const named = { name: "Deployments", base_url: "https://hooks.example.com/svc" };

test("a connector is connected with what it declares, at most twenty actions, and its secret is shown once", async () => {
  const home = await world(running);
  const made = await connect(home, { ...named, actions: [action("deploy")] });
  const { provider_key, account_name, base_url, signing_secret } = made.body;
  expect([made.status, provider_key, account_name]).toEqual([201, "private_connector", "Deployments"]);
  expect([base_url, signing_secret]).toEqual([named.base_url, expect.stringMatching(/^whsec_/)]);
  const shown = await home.owner.call("GET", `/integration-installations/${made.body.id}`);
  expect(shown.text).not.toContain(signing_secret);
  const { items } = (await home.owner.call("GET", `/integration-installations/${made.body.id}/actions`)).body;
  expect(items).toEqual([{ key: "deploy", name: "deploy", input_schema: { type: "object" } }]);
  const many = (count: number) => ({ ...named, actions: Array.from({ length: count }, (_, at) => action(`a${at}`)) });
  const statuses = [];
  for (const count of [20, 21, 0]) statuses.push((await connect(home, many(count))).status);
  expect(statuses).toEqual([201, 400, 400]);
  const twice = await connect(home, { ...named, actions: [action("deploy"), action("deploy")] });
  expect([twice.status, twice.body.errors[0].pointer]).toEqual([400, "/body/actions/1/key"]);
  // Of two fields by one name only one could be kept.
  const fields = '{"type":"object","properties":{"version":{"type":"string"},"version":{"type":"integer"}}}';
  const raw = JSON.stringify({ ...named, actions: [action("deploy", { FIELDS: 0 })] }).replace('{"FIELDS":0}', fields);
  const sameName = await home.owner.call("POST", `/workspaces/${home.workspaceId}/integration-private-connectors`, {
    raw,
    headers: { "content-type": "application/json" },
  });
  expect([sameName.status, sameName.body.code, sameName.body.errors]).toMatchObject([
    ...[400, "invalid_request"],
    [{ pointer: "/body/actions/0/input_schema/properties/version", code: "repeated" }],
  ]);
  const costly = await connect(home, {
    ...named,
    actions: [action("deploy", { type: "object", patternProperties: {} })],
  });
  expect(costly.body.errors[0].pointer).toBe("/body/actions/0/input_schema/patternProperties");
  expect((await connect(home, { ...named, actions: [action("deploy")] }, await home.member("member"))).status).toBe(
    403,
  );
});

test("a connector is changed: what is sent takes the place of what was, its secret stays, and nobody else reaches it", async () => {
  const home = await world(running);
  const made = (await connect(home, { ...named, actions: [action("deploy")] })).body;
  const one = `/integration-private-connectors/${made.id}`;
  const change = (body: object, person = home.owner, ifMatch = made.revision) =>
    person.call("PATCH", one, { body, ifMatch });
  const [member, stranger] = [await home.member("member"), (await world(running)).owner];
  expect([(await change({ name: "Mine" }, member)).status, (await change({ name: "Mine" }, stranger)).status]).toEqual([
    403, 404,
  ]);
  expect((await change({ base_url: "https://10.0.0.1/" })).body.code).toBe("provider_refused");
  expect((await change({ actions: [action("a"), action("a")] })).body.errors[0].pointer).toBe("/body/actions/1/key");
  const many = Array.from({ length: 21 }, (_, at) => action(`a${at}`));
  expect((await change({ actions: many })).status).toBe(400);
  const changed = await change({ name: "Releases", actions: many.slice(1) });
  expect(changed.body).toMatchObject({ account_name: "Releases", base_url: named.base_url, revision: "2" });
  expect((await change({ name: "Late" })).body.code).toBe("revision_conflict");
  const moved = await change({ base_url: "https://other.example.com/svc" }, home.owner, "2");
  expect(moved.body).toMatchObject({ account_name: "Releases", base_url: "https://other.example.com/svc" });
  const at = `/integration-installations/${made.id}`;
  expect((await home.owner.call("GET", `${at}/actions`)).body.items).toHaveLength(20);
  expect((await home.owner.call("GET", `${at}/resources`)).body.items).toMatchObject([{ name: "Releases" }]);
  const sealed = "select count(*)::int as count from actors where id = $1 and name = 'Private connector: Releases'";
  expect(await running.sql(sealed, [made.actor_id], home.workspaceId)).toEqual([{ count: 1 }]);
  const webhook = (
    await home.owner.call("POST", `/workspaces/${home.workspaceId}/integration-authorizations/credential`, {
      body: { provider_key: "webhook", name: "Alarm" },
    })
  ).body;
  const other = await home.owner.call("PATCH", `/integration-private-connectors/${webhook.id}`, {
    body: { name: "Mine" },
    ifMatch: "1",
  });
  expect(other.status, "what is none").toBe(404);
});

const forges = service({ apps: { gitlab: { url: origin, client_id: "c", client_secret: "s" } } });
const reachable = service({ apps: { private_connector: { url: origin } } });
test("a connector is tried by a signed call: an answer that is signed makes it work again, any other says why not", async () => {
  const home = await world(reachable);
  const actions = [action("deploy")];
  const made = (await connect(home, { name: "Deployments", base_url: `${origin}/svc`, actions })).body;
  const at = `/integration-private-connectors/${made.id}/test`;
  const state = async () => (await home.owner.call("GET", `/integration-installations/${made.id}`)).body.state;
  await reachable.sql(
    "update integration_installations set state = 'degraded', error_code = 'unreachable' where id = $1",
    [made.id],
    home.workspaceId,
  );
  calls.length = 0;
  answers = (_call, response) => void response.end("{}");
  expect((await home.owner.call("POST", at)).body).toMatchObject({ state: "failed", error_code: "unknown" });
  answers = (_call, response) => void response.writeHead(404).end();
  expect((await home.owner.call("POST", at)).body).toMatchObject({ state: "failed", error_code: "resource_missing" });
  expect(await state()).toBe("degraded");
  answers = answerWith(made.signing_secret, "{}");
  const tried = await home.owner.call("POST", at);
  expect([tried.status, tried.body]).toEqual([
    200,
    { state: "answered", error_code: null, duration_ms: expect.any(Number) },
  ]);
  expect(await state()).toBe("active");
  const [call] = calls as [Call];
  const sent = JSON.parse(call.body.toString());
  expect(sent).toEqual({ type: "test", id: call.headers["webhook-id"] });
  expect(isSigned(call.headers, call.body, made.signing_secret, new Date())).toBe(true);
  expect(new Set(calls.map(({ headers }) => headers["webhook-id"])).size, "each is another one").toBe(3);
  expect((await (await home.member("member")).call("POST", at)).status).toBe(403);
  await reachable.sql(
    "update integration_installations set state = 'revoked' where id = $1",
    [made.id],
    home.workspaceId,
  );
  expect((await home.owner.call("POST", at)).body.code).toBe("installation_revoked");
});

const input = { version: "1" };
async function bound(home: World, baseUrl = `${origin}/svc`) {
  const { id } = await newProject(home);
  return plantConnector(running, home.workspaceId, home.owner.actorId, id, baseUrl);
}
const ask = async (home: World, { id, resourceId }: { id: string; resourceId: string }, given: object = input) =>
  home.owner.call("POST", "/integration-actions", {
    body: { installation_id: id, resource_id: resourceId, action: "deploy", input: given },
    key: newKey(),
  });
async function perform(home: World, id: string) {
  await running.sql("update integration_actions set not_before = now() where id = $1", [id], home.workspaceId);
  const parts = reachingFrom(running, { private_connector: { url: origin } });
  await performAction(parts, { workspace_id: home.workspaceId, id });
  return (await home.owner.call("GET", `/integration-actions/${id}`)).body;
}
const answerWith =
  (secret: string, body: string, { id = "answer-", at = new Date() } = {}) =>
  ({ headers }: Call, response: ServerResponse) =>
    void response.writeHead(200, signed([secret], `${id}${headers["webhook-id"]}`, Buffer.from(body), at)).end(body);

test("a connector inside is not connected, however its address is written; and a name that leads inside is not reached", async () => {
  const home = await world(running);
  // biome-ignore format: a corpus reads best as a block.
  const inside = ["http://hooks.example.com/", "https://127.0.0.1/", "https://0x7f.1/", "https://2130706433/", "https://[::1]/", "https://[::ffff:10.0.0.1]/",
    "https://169.254.169.254/latest", "https://10.0.0.1:8443/", "https://0/", "https://[fd00::1]/x"];
  for (const base_url of inside) {
    const answer = await connect(home, { name: "Inside", base_url, actions: [action("a")] });
    expect([answer.status, answer.body.code], base_url).toEqual([422, "provider_refused"]);
  }
  for (const base_url of ["file:///etc/passwd", "https://user:word@example.com/", "https://example.com/?a=b", "x"])
    expect((await connect(home, { name: "Odd", base_url, actions: [action("a")] })).status, base_url).toBe(400);
  const { id } = (await ask(home, await bound(home, "https://localhost/"))).body;
  expect(await perform(home, id)).toMatchObject({ state: "failed", error_code: "address_refused" });
});

describe("a connector is refused for what its name leads to", () => {
  const resolving = resolvingService();
  const body = { ...named, actions: [action("deploy")] };
  const REFUSAL = {
    code: "provider_refused",
    errors: [
      {
        pointer: "/body/base_url",
        code: "address_refused",
        detail: expect.stringContaining("INTEGRATIONS_FILE names for private_connector"),
      },
    ],
  };
  test.each(resolvedHosts)("%s: %s", async (host, refused) => {
    const home = await world(resolving);
    const base_url = `https://${host}/svc`;
    const made = await connect(home, { ...body, base_url });
    expect(made.status, made.text).toBe(refused ? 422 : 201);
    if (refused) expect(made.body).toMatchObject(REFUSAL);
    const { id, revision } = (await connect(home, { ...body, base_url: "https://public.example.com/" })).body;
    const changed = await home.owner.call("PATCH", `/integration-private-connectors/${id}`, {
      body: { base_url },
      ifMatch: revision,
    });
    expect(changed.status, changed.text).toBe(refused ? 422 : 200);
    if (refused) expect(changed.body).toMatchObject(REFUSAL);
  });

  const counting = countingService();
  test("and no transaction waits for the resolver", async () => {
    expect((await connect(await world(counting.running), body)).status).toBe(422);
    expect(counting.held).toEqual([0]);
  });
});

test("a connector reaches no origin that was named for another provider, nor does another provider its origin", async () => {
  const home = await world(forges);
  const answer = await connect(home, { name: "Inside", base_url: `${origin}/svc`, actions: [action("a")] });
  expect([answer.status, answer.body.code]).toEqual([422, "provider_refused"]);
  const parts = reachingFrom(running, { gitlab: { url: origin } });
  calls.length = 0;
  await expect(parts.outside.integrations.egressFor("private_connector")(`${origin}/svc`)).rejects.toThrow(
    "only https",
  );
  await expect(parts.outside.integrations.egressFor("gitea")(`${origin}/svc`)).rejects.toThrow("only https");
  expect(calls).toEqual([]);
});

test("it is asked at its address by a signed call, and what it answers signed is kept", async () => {
  const home = await world(running);
  const place = await bound(home);
  answers = answerWith(place.secret, JSON.stringify({ external_id: "d1", url: "https://deploys.example/1" }));
  calls.length = 0;
  const { id } = (await ask(home, place)).body;
  expect(await perform(home, id)).toMatchObject({
    state: "succeeded",
    external_id: "d1",
    url: "https://deploys.example/1",
  });
  const [call] = calls as [Call];
  expect(JSON.parse(call.body.toString())).toEqual({
    type: "action",
    id: `svc-action-${id}`,
    action: "deploy",
    input,
  });
  expect(isSigned(call.headers, call.body, place.secret, new Date())).toBe(true);
  expect(isSigned(call.headers, call.body, newWebhookSecret(), new Date())).toBe(false);
  for (const wrong of [{}, { version: 1 }, { version: "x".repeat(11) }, { ...input, more: true }])
    expect((await ask(home, place, wrong)).status, JSON.stringify(wrong)).toBe(400);
});

test("an answer that it has not signed, or not now, or not for this call, is none; asked again, it is the same call", async () => {
  const home = await world(running);
  const place = await bound(home);
  const body = '{"external_id":"forged"}';
  const forged: [string, typeof answers][] = [
    ["unsigned", (_call, response) => void response.end(body)],
    ["of another secret", answerWith(newWebhookSecret(), body)],
    ["of another call", answerWith(place.secret, body, { id: "answer-other-" })],
    ["an hour old", answerWith(place.secret, body, { at: new Date(Date.now() - 3_600_000) })],
    [
      "what was sent, sent back",
      ({ headers, body: sent }, response) => {
        const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
        response.writeHead(200, Object.fromEntries(names.map((name) => [name, String(headers[name])]))).end(sent);
      },
    ],
  ];
  calls.length = 0;
  const { id } = (await ask(home, place)).body;
  for (const [name, answer] of forged) {
    answers = answer;
    expect(await perform(home, id), name).toMatchObject({ state: "running", error_code: "unknown", external_id: null });
  }
  answers = answerWith(place.secret, "{}");
  expect(await perform(home, id)).toMatchObject({ state: "succeeded", external_id: `svc-action-${id}` });
  expect(new Set(calls.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});
