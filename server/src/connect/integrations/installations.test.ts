// Connections of a Workspace: created with a credential, read by every member, ended by those who manage Integrations.
import { expect, test } from "vitest";
import { plantInstallation, plantResource, reachingFrom } from "../../../test/integrations.ts";
import { pages } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { isSigned, signed } from "../../platform/wire/standard-webhooks.ts";
import { MOST_INSTALLATIONS } from "./install/create-installation.ts";
import { endIntegration } from "./jobs.ts";

const running = service();
const at = ({ workspaceId }: World, rest: string) => `/workspaces/${workspaceId}/${rest}`;
const connectWebhook = (person: Person, home: World, body: object = {}, key?: string) =>
  person.call("POST", at(home, "integration-authorizations/credential"), {
    body: { provider_key: "webhook", ...body },
    ...(key !== undefined && { key }),
  });
const secretsOf = async ({ workspaceId }: World, id: string) => {
  const sql = "select sealed_credential, sealed_secret, state from integration_installations where id = $1";
  return (await running.sql<Record<string, string | null>>(sql, [id], workspaceId))[0];
};

test("a webhook of one's own gets an address and a secret, which is shown once and kept sealed", async () => {
  const home = await world(running);
  const key = newKey();
  const made = await connectWebhook(home.owner, home, { name: "Alarm" }, key);
  expect(made.status).toBe(201);
  const { id, signing_secret, webhook_url, ...shown } = made.body;
  expect(webhook_url).toBe(`${running.url}/api/v1/webhooks/integrations/webhook/${id}`);
  expect(shown).toMatchObject({ provider_key: "webhook", account_name: "Alarm", base_url: null, state: "active" });
  const body = Buffer.from("{}");
  expect(isSigned(signed([signing_secret], "1", body, new Date()), body, signing_secret, new Date())).toBe(true);
  const again = await connectWebhook(home.owner, home, { name: "Alarm" }, key);
  expect(again.text, "the lost answer is told again").toBe(made.text);
  const read = await home.owner.call("GET", `/integration-installations/${id}`);
  expect(read.body.capabilities).toEqual(["integration_installation:manage", "integration_installation:delete"]);
  const listed = await home.owner.call("GET", at(home, "integration-installations"));
  expect(listed.body.items.map((each: { id: string }) => each.id)).toEqual([id]);
  expect(read.text + listed.text).not.toContain(signing_secret);
  expect((await secretsOf(home, id))?.sealed_secret).not.toContain(signing_secret);
  const { items } = (await home.owner.call("GET", `/integration-installations/${id}/resources`)).body;
  expect(items).toMatchObject([{ installation_id: id, external_id: "endpoint", kind: "endpoint" }]);
});

test("each webhook is one of its own, and acts under its own name", async () => {
  const home = await world(running);
  const [one, other] = [await connectWebhook(home.owner, home), await connectWebhook(home.owner, home)];
  expect(one.body.id).not.toBe(other.body.id);
  expect(one.body.signing_secret).not.toBe(other.body.signing_secret);
  const actors = await running.sql(
    "select kind, name from actors where id = $1",
    [one.body.actor_id],
    home.workspaceId,
  );
  expect(actors).toEqual([{ kind: "service", name: "Webhook: Webhook" }]);
});

test("the connections of a Workspace are listed newest first, in pages", async () => {
  const home = await world(running);
  const made: string[] = [];
  for (let count = 0; count < 3; count++) made.push((await connectWebhook(home.owner, home)).body.id);
  const path = at(home, "integration-installations");
  expect((await home.owner.call("GET", path)).body.items.map(({ id }: { id: string }) => id)).toEqual(
    made.toReversed(),
  );
  const { items } = await pages(home.owner, path, 2);
  expect(items.map(({ id }) => id)).toEqual(made.toReversed());
});

test("what a provider does not take is refused, and nothing is kept", async () => {
  const home = await world(running);
  const cases: [object, number, string][] = [
    [{ credential: "x" }, 400, "/body/credential"],
    [{ base_url: "https://git.example.com" }, 400, "/body/base_url"],
    [{ provider_key: "nothing" }, 422, "/body/provider_key"],
    [{ base_url: "file:///etc/passwd" }, 400, "/body/base_url"],
    [{ base_url: "https://user:word@git.example.com" }, 400, "/body/base_url"],
    [{ name: "a\u202eb" }, 400, "/body/name"],
  ];
  for (const [body, status, pointer] of cases) {
    const answer = await connectWebhook(home.owner, home, body);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([status, pointer]);
  }
  expect((await home.owner.call("GET", at(home, "integration-installations"))).body.items).toEqual([]);
});

test("a Workspace has so many connections and no more", async () => {
  const home = await world(running);
  for (let made = 0; made < MOST_INSTALLATIONS - 1; made++)
    await plantInstallation(running, home.workspaceId, home.owner.actorId);
  const answers = await Promise.all([connectWebhook(home.owner, home), connectWebhook(home.owner, home)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe("limit_reached");
});

test("every member reads, owners and admins connect and end", async () => {
  const home = await world(running);
  const { id } = (await connectWebhook(home.owner, home)).body;
  for (const role of ["member", "viewer"] as const) {
    const person = await home.member(role);
    expect((await person.call("GET", `/integration-installations/${id}`)).body.capabilities).toEqual([]);
    const refused = [
      await connectWebhook(person, home),
      await person.call("POST", `/integration-installations/${id}/resources/refresh`),
      await person.call("POST", `/integration-installations/${id}/management-link`),
      await person.call("DELETE", `/integration-installations/${id}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  }
});

test("one that was removed is not there any more, its bindings have ended, and its secrets are forgotten", async () => {
  const home = await world(running);
  const { id } = (await connectWebhook(home.owner, home)).body;
  const admin = await home.member("admin");
  expect((await admin.call("DELETE", `/integration-installations/${id}`)).status).toBe(204);
  for (const path of ["", "/resources"])
    expect((await admin.call("GET", `/integration-installations/${id}${path}`)).status).toBe(404);
  expect((await admin.call("DELETE", `/integration-installations/${id}`)).status).toBe(404);
  expect((await home.owner.call("GET", at(home, "integration-installations"))).body.items).toEqual([]);
  await endIntegration(reachingFrom(running), { workspace_id: home.workspaceId, installation_id: id });
  expect(await secretsOf(home, id)).toEqual({ sealed_credential: null, sealed_secret: null, state: "revoked" });
});

test("a page at the provider is led to where there is one, and not where the connection was revoked", async () => {
  const home = await world(running);
  const planted = await plantInstallation(running, home.workspaceId, home.owner.actorId);
  const link = (id: string) => home.owner.call("POST", `/integration-installations/${id}/management-link`);
  expect((await link(planted.id)).body).toEqual({ url: "https://example.com/" });
  const { id } = (await connectWebhook(home.owner, home)).body;
  expect((await link(id)).body.code).toBe("management_unavailable");
  const revoke = "update integration_installations set state = 'revoked' where id = $1";
  await running.sql(revoke, [planted.id], home.workspaceId);
  expect((await link(planted.id)).body.code).toBe("installation_revoked");
  const refreshed = await home.owner.call("POST", `/integration-installations/${planted.id}/resources/refresh`);
  expect([refreshed.status, refreshed.body.code]).toEqual([409, "installation_revoked"]);
});

test("resources are listed by name, page after page, and what the provider lists no more is not", async () => {
  const home = await world(running);
  const { id } = await plantInstallation(running, home.workspaceId, home.owner.actorId);
  for (const name of ["b", "A", "c", "gone"]) await plantResource(running, home.workspaceId, id, name);
  await running.sql(
    "update integration_resources set listed = false where name = 'gone' and installation_id = $1",
    [id],
    home.workspaceId,
  );
  const names: string[] = [];
  let path: string | null = `/integration-installations/${id}/resources?limit=1`;
  while (path) {
    const { body } = await home.owner.call("GET", path);
    names.push(...body.items.map((each: { name: string }) => each.name));
    path = body.has_more ? `/integration-installations/${id}/resources?limit=1&cursor=${body.next_cursor}` : null;
  }
  expect(names).toEqual(["A", "b", "c"]);
});

test("another Workspace's connection is not there", async () => {
  const [home, other] = [await world(running), await world(running)];
  const { id } = (await connectWebhook(other.owner, other)).body;
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/management-link"],
    ["GET", "/resources"],
    ["POST", "/resources/refresh"],
  ] as const)
    expect((await home.owner.call(method, `/integration-installations/${id}${path}`)).status).toBe(404);
  expect((await home.owner.call("GET", `/integration-installations/${newId()}`)).status).toBe(404);
});
