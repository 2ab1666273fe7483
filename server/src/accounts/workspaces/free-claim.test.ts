// The one active Free Workspace of an account: whose claim it is when owners come and go, when a Workspace is archived
// and restored, and when two of these happen at once.
import { describe, expect, test } from "vitest";
import { acting } from "../../../test/people.ts";
import { asSession, insertCredential, type Person, service, type World, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const running = service();
const body = () => ({ name: "Mine", slug: `mine-${newId()}` });
const create = (person: Person) => person.call("POST", "/workspaces", { body: body() });
/** With a session of the account that is in no Workspace: the others end with a membership. */
async function anew(person: Person): Promise<Person> {
  const session = newSecret("ses");
  await insertCredential(running, "session", session, person.userId, null, []);
  return { ...person, session, call: asSession(running, session) };
}
/** What the account is told by every operation that tells it: they must agree. */
async function claim(person: Person): Promise<string | null> {
  const own = await anew(person);
  const { free } = (await own.call("GET", "/workspace-creation-options")).body;
  const native = newSecret("nat");
  await insertCredential(running, "native", native, person.userId, null, []);
  expect((await person.bearer(native, "GET", "/mobile/workspace-creation-options")).body.free).toEqual(free);
  expect((await own.call("GET", "/me")).body.capabilities.includes("workspace:create")).toBe(!free.claimed);
  expect(free.workspace_id === null).toBe(!free.claimed);
  return free.workspace_id;
}
const archive = ({ workspaceId }: Pick<World, "workspaceId">, by: Person) =>
  by.call("DELETE", `/workspaces/${workspaceId}`);
async function restore({ workspaceId }: World, by: Person) {
  const { revision } = (await by.call("GET", `/workspaces/${workspaceId}`)).body;
  return by.call("PATCH", `/workspaces/${workspaceId}`, { body: { archived: false }, ifMatch: revision });
}

describe("whoever is no active owner any more", () => {
  for (const [how, end] of Object.entries({
    removed: (place: World, by: Person) => acting(running, place).remove(by, place.owner),
    demoted: (place: World, by: Person) => acting(running, place).change(by, place.owner, { role: "member" }),
    suspended: (place: World, by: Person) => acting(running, place).change(by, place.owner, { state: "suspended" }),
  }))
    test(`because they were ${how} can create another Free Workspace, and the claim is a remaining owner's`, async () => {
      const place = await world(running);
      const heir = await place.member("owner");
      expect([await claim(place.owner), await claim(heir)]).toEqual([place.workspaceId, null]);
      expect((await end(place, heir)).status).toBeLessThan(300);
      expect([await claim(place.owner), await claim(heir)]).toEqual([null, place.workspaceId]);
      expect((await create(heir)).body.code).toBe("free_workspace_claimed");
      const former = await anew(place.owner);
      const made = await create(former);
      expect(made.status).toBe(201);
      expect(await claim(place.owner)).toBe(made.body.id);
      expect((await create(former)).body.code).toBe("free_workspace_claimed");
    });

  test("and belongs nowhere bootstraps again, from a browser and from a native application", async () => {
    for (const path of ["/workspaces/bootstrap", "/mobile/workspaces/bootstrap"]) {
      const place = await world(running);
      const heir = await place.member("owner");
      await acting(running, place).remove(heir, place.owner);
      const native = newSecret("nat");
      await insertCredential(running, "native", native, place.owner.userId, null, ["svc:write"]);
      const former = await anew(place.owner);
      const answer = path.startsWith("/mobile")
        ? await former.bearer(native, "POST", path, { body: body() })
        : await former.call("POST", path, { body: body() });
      expect(answer.status, answer.text).toBe(201);
      expect(await claim(place.owner)).toBe(answer.body.id);
    }
  });

  test("keeps nobody from leaving: where every other owner has a claim the Workspace is nobody's", async () => {
    const place = await world(running);
    const other = await place.member("owner");
    const own = (await create(other)).body.id;
    expect((await acting(running, place).remove(other, place.owner)).status).toBe(204);
    expect([await claim(place.owner), await claim(other)]).toEqual([null, own]);
  });

  test("does not get the claim back by coming back, and the claim goes to the owner of longest standing who has none", async () => {
    const place = await world(running);
    const [second, third, admin] = [
      await place.member("owner"),
      await place.member("owner"),
      await place.member("admin"),
    ];
    await create(second);
    await acting(running, place).remove(admin, place.owner);
    expect([(await claim(second)) === place.workspaceId, await claim(third)]).toEqual([false, place.workspaceId]);
    expect(await claim(admin)).toBe(null);
    await acting(running, place).restore(third, { user_id: place.owner.userId, role: "owner" });
    expect([await claim(place.owner), await claim(third)]).toEqual([null, place.workspaceId]);
    await acting(running, place).remove(second, third);
    expect(await claim(place.owner)).toBe(place.workspaceId);
  });

  test("takes nothing along that is not theirs: who never held the claim leaves it where it is", async () => {
    const place = await world(running);
    const other = await place.member("owner");
    await acting(running, place).remove(place.owner, other);
    expect(await claim(place.owner)).toBe(place.workspaceId);
  });
});

describe("an archived Free Workspace", () => {
  test("is restored by every owner, and the claim goes to one who has no other; not if every owner has another", async () => {
    const [place, elsewhere] = [await world(running), await world(running)];
    const other = await place.member("owner");
    const away = { workspace: elsewhere.workspaceId, owner: other };
    await running.sql("update memberships set user_id = $1 where workspace_id = $2 and user_id = $3", [
      away.owner.userId,
      away.workspace,
      (await elsewhere.member("member")).userId,
    ]);
    const [creator, restorer] = [await anew(place.owner), await anew(other)];
    expect((await archive(place, restorer)).status).toBe(204);
    expect(await claim(place.owner)).toBe(null);
    const second = await create(creator);
    expect(second.status).toBe(201);
    const told = async (person: Person) =>
      (await person.call("GET", `/workspaces/${place.workspaceId}`)).body.capabilities;
    for (const person of [creator, restorer])
      expect(await told(person)).toEqual(["workspace:read", "workspace:restore"]);
    expect((await restore(place, creator)).status, "the creator has another, the second owner has none").toBe(200);
    expect([await claim(place.owner), await claim(other)]).toEqual([second.body.id, place.workspaceId]);
    expect((await restore(place, restorer)).status, "it is active").toBe(200);
    expect((await archive(place, await anew(other))).status).toBe(204);
    const third = await create(await anew(other));
    expect(third.status).toBe(201);
    for (const person of [await anew(place.owner), await anew(other)]) {
      expect(await told(person)).toEqual(["workspace:read"]);
      const refused = await restore(place, person);
      expect([refused.status, refused.body.code]).toEqual([409, "free_workspace_claimed"]);
    }
  });

  test("keeps nobody from bootstrapping whose only Workspace it was", async () => {
    for (const role of ["owner", "member"] as const) {
      const place = await world(running);
      const person = await place.member(role);
      await running.sql("update workspaces set archived_at = now() where id = $1", [place.workspaceId]);
      const answer = await (await anew(person)).call("POST", "/workspaces/bootstrap", { body: body() });
      expect(answer.status, role).toBe(201);
    }
  });
});

test("of an heir who creates a Workspace while the claim passes to them, one of both has the claim, and nobody has two", async () => {
  for (let round = 0; round < 8; round++) {
    const place = await world(running);
    const heir = await place.member("owner");
    const [removed, created] = await Promise.all([acting(running, place).remove(heir, place.owner), create(heir)]);
    expect(removed.status).toBe(204);
    expect([201, 409]).toContain(created.status);
    expect(await claim(heir)).toBe(created.status === 201 ? created.body.id : place.workspaceId);
    expect(await claim(place.owner)).toBe(null);
  }
});
