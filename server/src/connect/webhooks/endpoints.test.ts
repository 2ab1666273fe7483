// Webhook endpoints: who makes them, to where, with which secret, and how many.
import { MOST_ENDPOINTS } from "@svc/contract/connect/webhooks/endpoints.ts";
import { describe, expect, test } from "vitest";
import { countingService, resolvedHosts, resolvingService } from "../../../test/resolving.ts";
import { newProject } from "../../../test/work.ts";
import { service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service({ webhookAllow: ["http://127.0.0.1:9"] });
const WANTED = { name: "Reports", url: "https://hooks.example.com/svc", actions: ["task.created"] };
const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/webhook-endpoints`;
const make = (home: World, more: object = {}, person = home.owner) =>
  person.call("POST", pathOf(home), { body: { ...WANTED, ...more } });
const one = (id: string, rest = "") => `/webhook-endpoints/${id}${rest}`;

test("the secret is in the answer that makes it, and nowhere else: not in reads, not in the database, not when the key is replayed by another", async () => {
  const home = await world(running);
  const { status, body } = await make(home);
  expect(status).toBe(201);
  const { secret, ...shown } = body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(shown).toMatchObject({ ...WANTED, project_ids: [], enabled: true, created_by_actor_id: home.owner.actorId });
  expect(shown.capabilities).toEqual(["integrations:manage"]);
  const read = await home.owner.call("GET", one(body.id));
  expect(read.body).toEqual(shown);
  const listed = await home.owner.call("GET", pathOf(home));
  expect(listed.body.items).toMatchObject([{ id: body.id }]);
  expect(read.text + listed.text).not.toContain("whsec_");
  const rows = await running.asOwner("select to_jsonb(w)::text as row from webhook_endpoints w where id = $1", [
    body.id,
  ]);
  const kept = await running.asOwner(
    "select to_jsonb(k)::text as row from idempotency_keys k where workspace_id = $1",
    [home.workspaceId],
  );
  expect(JSON.stringify([rows, kept])).not.toContain(secret.slice(6, 30));
});

describe("an address is refused that is none of the public internet", () => {
  const home = world.bind(null, running);
  test.each([
    ...["http://hooks.example.com/", "https://127.0.0.1/", "https://2130706433/", "https://0x7f.1/", "https://[::1]/"],
    ...["https://[::ffff:10.0.0.1]/", "https://10.0.0.1/", "https://169.254.169.254/latest", "https://localhost/hook"],
    ...[
      "https://metadata.internal/",
      "https://printer.local/",
      "https://intranet/hook",
      "https://a:b@hooks.example.com/",
    ],
    ...["https://hooks.example.com/#part", "http://127.0.0.1:10/", "https://192.168.1.1:8443/x"],
  ])("%s", async (url) => {
    const place = await home();
    const answer = await make(place, { url });
    expect([answer.status, answer.body.code]).toEqual([422, "webhook_url_refused"]);
    expect(answer.body.errors).toMatchObject([{ pointer: "/body/url" }]);
  });
  test("but for what the operator allows, and also when it is changed", async () => {
    const place = await home();
    const { status, body } = await make(place, { url: "http://127.0.0.1:9/hook" });
    expect(status).toBe(201);
    const at = { ifMatch: body.revision };
    const refused = await place.owner.call("PATCH", one(body.id), { body: { url: "https://10.0.0.1/" }, ...at });
    expect([refused.status, refused.body.code]).toEqual([422, "webhook_url_refused"]);
  });
});

describe("an address is refused for what its name leads to", () => {
  const resolving = resolvingService();
  const home = world.bind(null, resolving);
  const REFUSAL = {
    code: "webhook_url_refused",
    errors: [{ pointer: "/body/url", detail: expect.stringContaining("WEBHOOK_ALLOW") }],
  };
  test.each(resolvedHosts)("%s: %s", async (host, refused) => {
    const place = await home();
    const url = `https://${host}/hook`;
    const made = await make(place, { url });
    expect(made.status, made.text).toBe(refused ? 422 : 201);
    if (refused) expect(made.body).toMatchObject(REFUSAL);
    const { body } = await make(place, { url: "https://public.example.com/" });
    const changed = await place.owner.call("PATCH", one(body.id), { body: { url }, ifMatch: body.revision });
    expect(changed.status, changed.text).toBe(refused ? 422 : 200);
    if (refused) expect(changed.body).toMatchObject(REFUSAL);
  });

  const counting = countingService();
  test("and no transaction waits for the resolver", async () => {
    expect((await make(await world(counting.running))).status).toBe(422);
    expect(counting.held).toEqual([0]);
  });
});

test("a Workspace has at most 20, and another one where one was deleted", async () => {
  const home = await world(running);
  for (let made = 0; made < MOST_ENDPOINTS; made++) expect((await make(home)).status).toBe(201);
  const [first] = (await home.owner.call("GET", pathOf(home))).body.items;
  expect((await make(home)).body.code).toBe("limit_reached");
  expect((await home.owner.call("DELETE", one(first.id))).status).toBe(204);
  expect((await home.owner.call("GET", one(first.id))).status).toBe(404);
  expect((await make(home)).status).toBe(201);
});

test("an admin makes one too; a member sees none, and another Workspace neither", async () => {
  const [home, other] = [await world(running), await world(running)];
  const [admin, member] = [await home.member("admin"), await home.member("member")];
  const { body } = await make(home, {}, admin);
  expect(body.created_by_actor_id).toBe(admin.actorId);
  expect((await make(home, {}, member)).status).toBe(403);
  expect((await member.call("GET", pathOf(home))).status).toBe(403);
  const asked = [
    ["GET", "", {}],
    ["PATCH", "", { body: { enabled: false }, headers: { "if-match": "*" } }],
    ["DELETE", "", {}],
    ["POST", "/rotate-secret", {}],
    ["POST", "/test", {}],
    ["GET", "/deliveries", {}],
  ] as const;
  for (const [method, rest, options] of asked)
    for (const person of [member, other.owner])
      expect((await person.call(method, one(body.id, rest), options)).status, `${method} ${rest}`).toBe(404);
  expect((await home.owner.call("GET", one(body.id))).body.revision, "nothing has changed").toBe("1");
});

test("it is changed by whoever has read it; a change of nothing is none, and Projects must be there", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const { body } = await make(home);
  const change = (fields: object, revision: string) =>
    home.owner.call("PATCH", one(body.id), { body: fields, ifMatch: revision });
  const changed = await change({ name: "Other", actions: ["document.created"], project_ids: [project.id] }, "1");
  expect([changed.status, changed.body.revision]).toEqual([200, "2"]);
  expect(changed.body).toMatchObject({ name: "Other", actions: ["document.created"], project_ids: [project.id] });
  expect((await change({ name: "Stale" }, "1")).body.code).toBe("revision_conflict");
  expect((await change({ name: "Other" }, "2")).body.revision).toBe("2");
  expect((await change({ project_ids: [newId()] }, "2")).body.code).toBe("invalid_reference");
  expect((await change({ actions: ["task.invented"] }, "2")).status).toBe(400);
  expect((await change({ actions: [] }, "2")).status).toBe(400);
  expect((await home.owner.call("PATCH", one(body.id), { body: { enabled: false } })).body.code).toBe(
    "if_match_required",
  );
});

test("another secret: the one before is good for a day, the one before that no more", async () => {
  const home = await world(running);
  const { body } = await make(home);
  const rotate = () => home.owner.call("POST", one(body.id, "/rotate-secret"));
  const sealed = async () =>
    (
      await running.sql<Record<string, string>>(
        `select sealed_secret, previous_sealed_secret,
          extract(epoch from previous_secret_expires_at - now())::int as left from webhook_endpoints where id = $1`,
        [body.id],
        home.workspaceId,
      )
    )[0];
  const before = await sealed();
  const first = await rotate();
  expect([first.status, first.body.revision]).toEqual([200, "2"]);
  expect(first.body.secret).not.toBe(body.secret);
  const after = await sealed();
  expect(after?.previous_sealed_secret).toBe(before?.sealed_secret);
  expect(Number(after?.left)).toBeGreaterThan(86_000);
  await rotate();
  expect((await sealed())?.previous_sealed_secret).toBe(after?.sealed_secret);
  const { body: read } = await home.owner.call("GET", one(body.id));
  expect([read.secret, read.previous_secret_expires_at !== null]).toEqual([undefined, true]);
});

test("what was made by somebody who has left cannot be enabled again", async () => {
  const home = await world(running);
  const admin = await home.member("admin");
  const { body } = await make(home, { enabled: false }, admin);
  await running.sql("update memberships set state = 'removed' where workspace_id = $1 and actor_id = $2", [
    ...[home.workspaceId, admin.actorId],
  ]);
  const answer = await home.owner.call("PATCH", one(body.id), {
    body: { enabled: true },
    headers: { "if-match": "*" },
  });
  expect([answer.status, answer.body.code]).toEqual([409, "webhook_creator_left"]);
});

describe("an endpoint is taken over", () => {
  async function orphan() {
    const home = await world(running);
    const admin = await home.member("admin");
    const { body } = await make(home, { enabled: false }, admin);
    await running.sql("update memberships set state = 'suspended' where workspace_id = $1 and actor_id = $2", [
      ...[home.workspaceId, admin.actorId],
    ]);
    const patch = (change: object, person = home.owner, headers: object = { "if-match": "*" }) =>
      person.call("PATCH", one(body.id), { body: change, headers: headers as Record<string, string> });
    return { home, admin, patch, id: body.id };
  }

  test("by who manages webhooks, for themselves, and can then be enabled in the same call", async () => {
    const { home, patch, id } = await orphan();
    const { actorId } = home.owner;
    const taken = await patch({ created_by_actor_id: actorId, enabled: true });
    expect(taken.status, taken.text).toBe(200);
    expect(taken.body).toMatchObject({ created_by_actor_id: actorId, enabled: true, revision: "2" });
    const again = await patch({ created_by_actor_id: actorId.toUpperCase() });
    expect([again.status, again.body.revision], "nothing changes").toEqual([200, "2"]);
    expect(
      await running.sql(
        "select payload from domain_events where resource_id = $1 and type = 'webhook_endpoint.updated'",
        [id],
        home.workspaceId,
      ),
    ).toEqual([{ payload: { fields: ["created_by_actor_id", "enabled"] } }]);
  });

  test("not for anybody else, not by who does not manage them, and not with a stale revision", async () => {
    const { home, admin, patch } = await orphan();
    const member = await home.member("member");
    const other = await world(running);
    for (const actorId of [admin.actorId, member.actorId, other.owner.actorId, newId()]) {
      const refused = await patch({ created_by_actor_id: actorId });
      expect([refused.status, refused.body.code]).toEqual([422, "invalid_reference"]);
      expect(refused.body.errors).toMatchObject([{ pointer: "/body/created_by_actor_id" }]);
    }
    for (const stranger of [member, other.owner])
      expect((await patch({ created_by_actor_id: stranger.actorId }, stranger)).status).toBe(404);
    const stale = await patch({ created_by_actor_id: home.owner.actorId }, home.owner, { "if-match": '"7"' });
    expect([stale.status, stale.body.code]).toEqual([409, "revision_conflict"]);
  });
});
