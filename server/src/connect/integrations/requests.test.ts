// Members ask for a provider: those who manage Integrations find it in their inbox until it is decided, and whoever
// asked finds that in theirs.
import { expect, test } from "vitest";
import { plantRequest } from "../../../test/integrations.ts";
import { refusalOf } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
const at = ({ workspaceId }: World, rest: string) => `/workspaces/${workspaceId}/${rest}`;
const ask = (home: World, person: Person, body: object = { provider_key: "webhook", note: "Please" }) =>
  person.call("POST", at(home, "integration-requests"), { body });
const decline = (person: Person, id: string, ifMatch?: string) =>
  person.call("POST", `/integration-requests/${id}/decline`, ifMatch ? { ifMatch } : {});
const connect = (home: World, person: Person) =>
  person.call("POST", at(home, "integration-authorizations/credential"), { body: { provider_key: "webhook" } });
const inbox = async (home: World, person: Person, query = "") =>
  (await person.call("GET", at(home, `inbox${query}`))).body.items;

test("a member asks for a provider once, and connecting it closes what was asked", async () => {
  const home = await world(running);
  const [member, viewer] = [await home.member("member"), await home.member("viewer")];
  const asked = await ask(home, member);
  expect([asked.status, asked.body.state, asked.body.requested_by_actor_id]).toEqual([201, "open", member.actorId]);
  expect((await ask(home, member)).body.code).toBe("integration_requested");
  expect((await ask(home, member, { provider_key: "nothing" })).body.code).toBe("invalid_reference");
  expect((await ask(home, viewer)).status).toBe(403);
  expect((await ask(home, await home.member("member"))).status).toBe(201);
  await connect(home, home.owner);
  const left = await running.sql("select state from integration_requests where state = 'open'", [], home.workspaceId);
  expect(left).toEqual([]);
  expect((await ask(home, member)).status, "it may be asked for anew").toBe(201);
});

test("owners and admins find it in their inbox until the provider is connected, and whoever asked hears of that", async () => {
  const home = await world(running);
  const [admin, member, other] = [await home.member("admin"), await home.member("member"), await home.member("member")];
  const asked = (await ask(home, member)).body;
  for (const person of [home.owner, admin])
    expect(await inbox(home, person)).toMatchObject([
      {
        category: "request_received",
        action: "integration_request.created",
        count: 1,
        read_at: null,
        actor: { id: member.actorId },
        task: null,
        document: null,
        project: null,
        reminder: null,
        about: { kind: "integration_request", id: asked.id, name: "Webhook", note: "Please" },
      },
    ]);
  for (const person of [member, other]) expect(await inbox(home, person)).toEqual([]);
  // Who asks is not told of it, and who asked for something else is not told of this.
  await ask(home, admin);
  expect([(await inbox(home, admin)).length, (await inbox(home, home.owner)).length]).toEqual([1, 2]);
  await ask(home, other, { provider_key: "gitlab" });
  expect((await connect(home, home.owner)).status).toBe(201);
  expect(await inbox(home, home.owner), "the other one is still open").toMatchObject([{ about: { name: "GitLab" } }]);
  expect(await inbox(home, home.owner, "?state=archived")).toHaveLength(2);
  expect(await inbox(home, member)).toMatchObject([
    {
      category: "request_decided",
      action: "integration_request.closed",
      actor: { id: home.owner.actorId },
      about: { kind: "integration_request", id: asked.id, name: "Webhook", note: null },
    },
  ]);
  expect(await inbox(home, other)).toEqual([]);
});

test("those who manage Integrations list what is open and decline it, once, and whoever asked hears of that", async () => {
  const home = await world(running);
  const [admin, member] = [await home.member("admin"), await home.member("member")];
  const { id } = (await ask(home, member)).body;
  const list = (person: Person) => person.call("GET", at(home, "integration-requests"));
  expect((await list(admin)).body.items).toMatchObject([{ id, note: "Please", requested_by_actor_id: member.actorId }]);
  expect((await list(member)).status).toBe(403);
  expect((await decline(member, id)).status, "also to whoever asked").toBe(404);
  expect((await decline((await world(running)).owner, id)).status).toBe(404);
  expect(refusalOf(await decline(admin, id, "2"))).toEqual([409, "revision_conflict"]);
  expect((await decline(admin, id)).body).toMatchObject({ state: "declined", revision: "2", capabilities: [] });
  const again = await decline(home.owner, id, "2");
  expect([again.status, again.body.revision], "nothing more happens").toEqual([200, "2"]);
  expect((await list(admin)).body.items).toEqual([]);
  expect(await inbox(home, home.owner)).toEqual([]);
  expect(await inbox(home, member)).toMatchObject([
    { category: "request_decided", action: "integration_request.declined", actor: { id: admin.actorId } },
  ]);
  const anew = await ask(home, member);
  expect(anew.status, "it may be asked for anew").toBe(201);
  await connect(home, admin);
  expect(refusalOf(await decline(admin, anew.body.id, "2")), "it is connected").toEqual([409, "request_decided"]);
});

test("who manages nothing any more does not see what was asked; who wants to hear nothing of it is not told", async () => {
  const home = await world(running);
  const [admin, quiet, member] = [await home.member("admin"), await home.member("admin"), await home.member("member")];
  const put = { body: { in_app: false, push: false, email: false }, headers: { "if-match": "*" } };
  const preference = await quiet.call("PATCH", at(home, "notification-preferences/request_received"), put);
  expect(preference.status).toBe(200);
  await ask(home, member);
  expect(await inbox(home, quiet)).toEqual([]);
  const [item] = await inbox(home, admin);
  await running.sql("update memberships set role = 'member' where actor_id = $1", [admin.actorId], home.workspaceId);
  expect(await inbox(home, admin)).toEqual([]);
  const read = { body: { read: true }, headers: { "if-match": "*" } };
  expect((await admin.call("PATCH", `/inbox-items/${item.id}`, read)).status).toBe(404);
});

test("closing many at once tells each of those who asked", async () => {
  const home = await world(running);
  const people = await Promise.all(Array.from({ length: 5 }, () => home.member("member")));
  for (const person of people) {
    const { id } = await plantRequest(running, home.workspaceId, person.actorId);
    await running.sql("update integration_requests set provider_key = 'webhook' where id = $1", [id], home.workspaceId);
  }
  await connect(home, home.owner);
  for (const person of people) expect(await inbox(home, person)).toMatchObject([{ category: "request_decided" }]);
});
