// A customer's own service: connected with what it declares, asked by signed calls, and believed only where its answers are signed.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { plantConnector, reachingFrom } from "../../test/integrations.ts";
import { newProject } from "../../test/work.ts";
import { newKey, service, type World, world } from "../../test/world.ts";
import { isSigned, newWebhookSecret, signed } from "../wire/standard-webhooks.ts";
import { performAction } from "./performing.ts";

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
  const costly = await connect(home, {
    ...named,
    actions: [action("deploy", { type: "object", patternProperties: {} })],
  });
  expect(costly.body.errors[0].pointer).toBe("/body/actions/0/input_schema/patternProperties");
  expect((await connect(home, { ...named, actions: [action("deploy")] }, await home.member("member"))).status).toBe(
    403,
  );
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
    ...{ type: "action", id: `svc-action-${id}`, action: "deploy", input },
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
