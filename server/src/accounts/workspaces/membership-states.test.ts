// The specification's table of membership states, row by row: who changes a membership, from which state to which, and
// what ends with it.
import { expect, test } from "vitest";
import { everyKind } from "../../../test/letters.ts";
import { acting, membershipOf, setMembership } from "../../../test/people.ts";
import { eventsOf, newProject, newTask } from "../../../test/work.ts";
import { asSession, newKey, type Person, service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { insertSession } from "../identity/store.ts";

const running = service();
const session = (person: Person, workspaceId: string | null) =>
  running.database.writer.use((tx) => insertSession(tx, person.userId, workspaceId, true));
async function scene() {
  const place = await world(running);
  return { ...place, place, person: await place.member("member"), ...acting(running, place) };
}
type Scene = Awaited<ReturnType<typeof scene>>;
const stateOf = async ({ place }: Scene, person: Person) => (await membershipOf(running, place, person)).state;

test("active becomes suspended: the sessions in the Workspace end at once, the others do not", async () => {
  const all = await scene();
  const { owner, person, workspaceId, change } = all;
  const elsewhere = asSession(running, await session(person, null));
  const second = asSession(running, await session(person, workspaceId));
  const answer = await change(owner, person, { state: "suspended" });
  expect([answer.status, answer.body.state, answer.body.revision]).toEqual([200, "suspended", "2"]);
  expect(answer.body.capabilities).toEqual(["member:update", "member:remove"]);
  expect(answer.trips).toBeLessThanOrEqual(3);
  for (const ended of [person.call, second])
    expect([(await ended("GET", "/me")).status, (await ended("GET", "/me")).body.code]).toEqual([
      401,
      "authentication_required",
    ]);
  expect((await elsewhere("GET", "/me")).status).toBe(200);
  expect((await elsewhere("GET", `/workspaces/${workspaceId}`)).status).toBe(404);
});

test("suspended becomes active: tokens work again, the sessions of before stay ended", async () => {
  const { owner, person, workspaceId, change, token } = await scene();
  const pat = await token(["svc:read"], person);
  const read = async () => (await person.bearer(pat, "GET", `/workspaces/${workspaceId}/projects`)).status;
  expect(await read()).toBe(200);
  await change(owner, person, { state: "suspended" });
  expect(await read()).toBe(404);
  expect((await change(owner, person, { state: "active" })).body.state).toBe("active");
  expect(await read()).toBe(200);
  expect((await person.call("GET", "/me")).status).toBe(401);
});

test("active or suspended becomes removed: sessions, tokens and grants of this Workspace end for good, native ones stay", async () => {
  for (const before of ["active", "suspended"] as const) {
    const all = await scene();
    const { owner, person, workspaceId, change, remove, restore } = all;
    const { live } = await everyKind(running, { userId: person.userId, workspaceId });
    expect(await live()).toEqual({ session: 200, native: 200, developer: 200, personal: 200, grant: 1 });
    if (before === "suspended") await change(owner, person, { state: "suspended" });
    const answer = await remove(owner, person);
    expect([answer.status, answer.text, await stateOf(all, person)]).toEqual([204, "", "removed"]);
    expect(answer.trips).toBeLessThanOrEqual(3);
    expect(await live()).toMatchObject({ session: 401, native: 200, developer: 401, personal: 401 });
    expect((await restore(owner, { user_id: person.userId })).status).toBe(201);
    expect(await live()).toMatchObject({ session: 401, native: 200, developer: 401, personal: 401 });
    const grants = await running.sql<{ live: boolean }>(
      "select revoked_at is null as live from oauth_grants where user_id = $1 and workspace_id = $2",
      [person.userId, workspaceId],
    );
    expect(grants.map((grant) => grant.live)).not.toContain(true);
  }
});

test("removing again, or somebody who left, answers 204 and changes and records nothing", async () => {
  const all = await scene();
  const { owner, person, remove, place } = all;
  await remove(owner, person);
  const removed = await membershipOf(running, place, person);
  expect((await remove(owner, person)).status).toBe(204);
  expect(await membershipOf(running, place, person)).toEqual(removed);
  expect((await eventsOf(running, place, removed.id)).map(({ type }) => type)).toEqual(["member.removed"]);
  await setMembership(running, place, person, "state = 'left'");
  expect((await remove(owner, person)).status).toBe(204);
  expect(await stateOf(all, person)).toBe("left");
});

/** The address is shown to those who manage members once it is proved. */
const prove = ({ userId }: Person) =>
  running.sql("update users set email_verified_at = now(), email_proved_at = now() where id = $1", [userId]);

test("a removed member keeps row, Actor and Projects: past work stays theirs", async () => {
  const { owner, person, place, remove, restore, workspaceId } = await scene();
  const project = await newProject(place);
  const task = await newTask(person, project.id);
  const before = await membershipOf(running, place, person);
  await prove(person);
  await remove(owner, person);
  expect((await owner.call("GET", `/tasks/${task.id}`)).body.created_by_actor_id).toBe(person.actorId);
  const { body } = await owner.call("GET", `/workspaces/${workspaceId}/members?state=removed`);
  expect(body.items).toMatchObject([
    { id: before.id, actor_id: person.actorId, state: "removed", email: person.email },
  ]);
  const restored = await restore(owner, { user_id: person.userId });
  expect(restored.body).toMatchObject({ id: before.id, actor_id: person.actorId, state: "active" });
});

test("removed or left becomes active with the former role, or with the one that is named", async () => {
  for (const state of ["removed", "left"] as const) {
    const { owner, person, place, restore } = await scene();
    await setMembership(running, place, person, `state = '${state}', role = 'admin'`);
    const answer = await restore(owner, { user_id: person.userId.toUpperCase() });
    expect([answer.status, answer.body.state, answer.body.role]).toEqual([201, "active", "admin"]);
    expect(answer.trips).toBeLessThanOrEqual(3);
    await setMembership(running, place, person, `state = '${state}'`);
    expect((await restore(owner, { user_id: person.userId, role: "viewer" })).body.role).toBe("viewer");
  }
});

test("restoring an active member changes nothing, not even the role that is named", async () => {
  const { owner, person, place, restore } = await scene();
  const before = await membershipOf(running, place, person);
  const answer = await restore(owner, { user_id: person.userId, role: "owner" });
  expect([answer.status, answer.body.role, answer.body.revision]).toEqual([201, "member", before.revision]);
  expect(await membershipOf(running, place, person)).toEqual(before);
  expect(await eventsOf(running, place, before.id)).toEqual([]);
});

test("restoring is no way around a suspension", async () => {
  const all = await scene();
  await all.change(all.owner, all.person, { state: "suspended" });
  const answer = await all.restore(all.owner, { user_id: all.person.userId });
  expect([answer.status, answer.body.code]).toEqual([409, "membership_state_conflict"]);
  expect(await stateOf(all, all.person)).toBe("suspended");
});

test("an account that never was a member is refused exactly as one that does not exist", async () => {
  const [{ owner, restore }, other] = [await scene(), await scene()];
  const told = await Promise.all(
    [newId(), other.person.userId].map(async (user_id) => {
      const { status, body } = await restore(owner, { user_id });
      return { status, body: { ...body, correlation_id: "" } };
    }),
  );
  expect(told[0]).toEqual(told[1]);
  expect(told[0]).toMatchObject({
    status: 422,
    body: { code: "invalid_reference", errors: [{ pointer: "/body/user_id" }] },
  });
});

test("a former member is restored and not patched, and only to active or suspended leads a PATCH", async () => {
  const { owner, person, place, change } = await scene();
  for (const state of ["removed", "left"])
    for (const body of [{ state: "active" }, { role: "admin" }]) {
      await setMembership(running, place, person, `state = '${state}'`);
      const answer = await change(owner, person, body);
      expect([answer.status, answer.body.code]).toEqual([409, "membership_state_conflict"]);
    }
  await setMembership(running, place, person, "state = 'active'");
  for (const state of ["removed", "left", "invited", "gone", null]) {
    const answer = await change(owner, person, { state });
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([
      400,
      "invalid_request",
      "/body/state",
    ]);
  }
  expect((await change(owner, person, {})).status).toBe(400);
  expect((await change(owner, person, { role: "boss" })).status).toBe(400);
});

test("role and state change together, and what is left out stays", async () => {
  const { owner, person, place, change } = await scene();
  await prove(person);
  await change(owner, person, { role: "viewer", state: "suspended" });
  expect(await membershipOf(running, place, person)).toMatchObject({ role: "viewer", state: "suspended" });
  await change(owner, person, { state: "active" });
  expect(await membershipOf(running, place, person)).toMatchObject({ role: "viewer", state: "active" });
  const answer = await change(owner, person, { role: "admin" });
  expect(answer.body).toMatchObject({ role: "admin", state: "active", email: person.email });
  const { id } = answer.body;
  const events = await eventsOf(running, place, id);
  expect(events.map(({ type, activity }) => [type, activity])).toEqual(Array(3).fill(["member.updated", null]));
  expect(events[0]?.payload).toMatchObject({
    before: { role: "member", state: "active" },
    after: { role: "viewer", state: "suspended" },
  });
});

test("a new role holds for the very next request, in the same session", async () => {
  const { owner, person, workspaceId, change } = await scene();
  const statuses = `/workspaces/${workspaceId}/statuses`;
  const create = async () =>
    (await person.call("POST", statuses, { body: { name: newId(), category: "started" }, key: newKey() })).status;
  expect(await create()).toBe(403);
  await change(owner, person, { role: "admin" });
  expect(await create()).toBe(201);
  await change(owner, person, { role: "viewer" });
  expect(await create()).toBe(403);
});

test("an admin changes, removes and restores owners as an owner does", async () => {
  const { owner, member, change, remove, restore } = await scene();
  const [admin, other] = [await member("admin"), await member("owner")];
  expect((await change(admin, other, { role: "member" })).status).toBe(200);
  expect((await change(admin, other, { role: "owner" })).body.role).toBe("owner");
  expect((await change(admin, owner, { state: "suspended" })).status).toBe(200);
  expect((await remove(admin, owner)).status).toBe(204);
  expect((await restore(admin, { user_id: owner.userId })).body).toMatchObject({ role: "owner", state: "active" });
});

test("nobody changes, removes or restores themselves, in whatever role that could", async () => {
  const all = await scene();
  const { owner, member, change, remove, restore } = all;
  await member("owner");
  for (const self of [owner, await member("admin")]) {
    const answers = [
      await change(self, self, { role: "member" }),
      await change(self, self, { state: "suspended" }),
      await change(self, self, { state: "active" }),
      await remove(self, self),
      await restore(self, { user_id: self.userId }),
      await restore(self, { user_id: self.userId.toUpperCase(), role: "owner" }),
    ];
    for (const answer of answers) expect([answer.status, answer.body.code]).toEqual([422, "self_membership_mutation"]);
    expect((await self.call("GET", "/me")).status).toBe(200);
  }
});

test("members and viewers change nobody, not even themselves; outsiders find nobody", async () => {
  const { member, person, change, remove, restore, workspaceId } = await scene();
  const outsider = (await scene()).owner;
  for (const role of ["member", "viewer"] as const) {
    const caller = await member(role);
    for (const whom of [person, caller]) {
      expect((await change(caller, whom, { role: "admin" })).body.code).toBe("forbidden");
      expect((await remove(caller, whom)).body.code).toBe("forbidden");
      expect((await restore(caller, { user_id: whom.userId })).body.code).toBe("forbidden");
    }
  }
  expect((await change(outsider, person, { role: "admin" })).status).toBe(404);
  expect((await remove(outsider, person)).status).toBe(404);
  const path = `/workspaces/${workspaceId}/members/${newId()}`;
  expect((await outsider.call("DELETE", path)).status).toBe(404);
});

test("a change must name the revision that it builds on", async () => {
  const { owner, person, place, change } = await scene();
  expect((await change(owner, person, { role: "viewer" }, { ifMatch: undefined })).body.code).toBe("if_match_required");
  const stale = await change(owner, person, { role: "viewer" }, { ifMatch: "7" });
  expect([stale.status, stale.body.code, stale.body.current_revision]).toEqual([409, "revision_conflict", "1"]);
  expect(await membershipOf(running, place, person)).toMatchObject({ role: "member", revision: "1" });
});

test("a repetition with its key gets the first answer, and does nothing again", async () => {
  const { owner, person, place, change } = await scene();
  const key = newKey();
  const first = await change(owner, person, { role: "viewer" }, { key, ifMatch: "1" });
  await change(owner, person, { role: "admin" });
  const again = await change(owner, person, { role: "viewer" }, { key, ifMatch: "1" });
  expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"]);
  expect((await membershipOf(running, place, person)).role).toBe("admin");
  expect((await change(owner, person, { role: "owner" }, { key, ifMatch: "1" })).body.code).toBe(
    "idempotency_key_conflict",
  );
});

test("whoever was removed does not replay an old key", async () => {
  const { owner, member, person, change, remove, restore } = await scene();
  const admin = await member("admin");
  const key = newKey();
  expect((await change(admin, person, { role: "viewer" }, { key, ifMatch: "1" })).status).toBe(200);
  await remove(owner, admin);
  expect((await change(admin, person, { role: "viewer" }, { key, ifMatch: "1" })).status).toBe(401);
  await restore(owner, { user_id: admin.userId, role: "member" });
});
