// A Workspace always keeps at least one active owner, under any interleaving; and what ends with a membership does not
// come back by being made at the same moment.
import { expect, test } from "vitest";
import { overlapping } from "../../../test/overlap.ts";
import { acting, membershipOf, setMembership } from "../../../test/people.ts";
import { asSession, type Person, service, type World, world } from "../../../test/world.ts";
import { insertSession } from "../identity/store.ts";

const running = service();
const OWNERS =
  "select count(*)::int as count from memberships where workspace_id = $1 and role = 'owner' and state = 'active'";
const owners = async ({ workspaceId }: World) =>
  (await running.sql<{ count: number }>(OWNERS, [workspaceId]))[0]?.count;

test("the last active owner is neither demoted nor suspended nor removed, not even by an admin", async () => {
  const place = await world(running);
  const { owner } = place;
  const admin = await place.member("admin");
  const { change, remove } = acting(running, place);
  const others = { suspended: await place.member("owner"), removed: await place.member("owner") };
  await change(owner, others.suspended, { state: "suspended" });
  await remove(owner, others.removed);
  for (const body of [{ role: "admin" }, { state: "suspended" }, { role: "viewer", state: "suspended" }]) {
    const answer = await change(admin, owner, body);
    expect([answer.status, answer.body.code]).toEqual([409, "last_owner"]);
  }
  expect((await remove(admin, owner)).body.code).toBe("last_owner");
  expect((await change(admin, owner, { role: "owner", state: "active" })).status).toBe(200);
  expect((await change(admin, others.suspended, { state: "active" })).status).toBe(200);
  expect((await remove(admin, owner)).status).toBe(204);
  expect(await owners(place)).toBe(1);
});

test("a suspended owner is no active one: demoting or removing it is no matter of the last", async () => {
  const place = await world(running);
  const other = await place.member("owner");
  const { change, remove } = acting(running, place);
  await change(place.owner, other, { state: "suspended" });
  expect((await change(place.owner, other, { role: "member" })).status).toBe(200);
  expect((await remove(place.owner, other)).status).toBe(204);
});

/**
 * Two or three owners of one Workspace act on each other at the same moment, round after round. Resolves to the answers
 * by number.
 */
async function rounds(count: number): Promise<Map<string, number>> {
  const place = await world(running);
  const people = [place.owner, await place.member("owner"), await place.member("owner")];
  const everybody = await Promise.all(people.map((person) => membershipOf(running, place, person)));
  const ways = [
    (by: Person, path: string) => by.call("PATCH", path, { body: { role: "member" }, headers: { "if-match": "*" } }),
    (by: Person, path: string) =>
      by.call("PATCH", path, { body: { state: "suspended" }, headers: { "if-match": "*" } }),
    (by: Person, path: string) => by.call("DELETE", path),
  ];
  const reset = (active: number) =>
    running.sql(
      `with renewed as (update credentials set revoked_at = null where workspace_id = $1)
       update memberships set role = 'owner', state = case when user_id = any($2) then 'active' else 'removed' end
       where workspace_id = $1`,
      [place.workspaceId, people.slice(0, active).map(({ userId }) => userId)],
    );
  const told = new Map<string, number>();
  for (let round = 0; round < count; round++) {
    const active = 2 + (round % 2);
    await reset(active);
    const answers = await Promise.all(
      people.slice(0, active).flatMap((by, index) => {
        const whom = everybody[(index + 1) % active];
        const way = ways[(round + index * (1 + (round % 3))) % ways.length] as (typeof ways)[number];
        return way(by, `/workspaces/${place.workspaceId}/members/${whom?.id}`);
      }),
    );
    for (const { status, body } of answers) {
      const name = `${status} ${body?.code ?? ""}`.trim();
      told.set(name, (told.get(name) ?? 0) + 1);
    }
    expect(await owners(place), `round ${round}`).toBeGreaterThanOrEqual(1);
  }
  return told;
}

test("in 200 rounds of owners who demote, suspend and remove each other one is always left", async () => {
  const told = new Map<string, number>();
  // Four Workspaces at once: one alone waits for an answer most of the time.
  for (const each of await Promise.all([50, 50, 50, 50].map(rounds)))
    for (const [name, times] of each) told.set(name, (told.get(name) ?? 0) + times);
  // Done; nobody else left; no longer an owner; no longer a member, or signed out: and nothing else.
  const possible = ["200", "204", "409 last_owner", "403 forbidden", "404 not_found", "401 authentication_required"];
  expect(possible).toEqual(expect.arrayContaining([...told.keys()]));
  expect((told.get("200") ?? 0) + (told.get("204") ?? 0)).toBeGreaterThanOrEqual(200);
});

test("who is demoted while its own request waits may not do it any more", async () => {
  const place = await world(running);
  const [admin, victim] = [await place.member("admin"), await place.member("member")];
  const demote = `with held as (update workspaces set updated_at = now() where id = $1)
    update memberships set role = 'member' where workspace_id = $1 and user_id = $2`;
  const answer = await overlapping(running, [demote, place.workspaceId, admin.userId], 1, () =>
    acting(running, place).change(admin, victim, { role: "owner" }),
  );
  expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
  expect((await membershipOf(running, place, victim)).role).toBe("member");
});

test("a session that enters while its membership ends is refused or revoked, never left behind", async () => {
  const place = await world(running);
  const other = await world(running);
  const person = await place.member("member");
  const { remove } = acting(running, place);
  await running.sql("update memberships set user_id = $1 where workspace_id = $2 and user_id = $3", [
    person.userId,
    other.workspaceId,
    (await other.member("member")).userId,
  ]);
  for (let round = 0; round < 20; round++) {
    await setMembership(running, place, person, "state = 'active'");
    const secret = await running.database.writer.use((tx) => insertSession(tx, person.userId, other.workspaceId, true));
    const [removed, entered] = await Promise.all([
      remove(place.owner, person),
      asSession(running, secret)("PUT", "/auth/session/workspace", { body: { workspace_id: place.workspaceId } }),
    ]);
    expect(removed.status).toBe(204);
    expect([204, 403]).toContain(entered.status);
    const left = await running.sql(
      "select from credentials where user_id = $1 and workspace_id = $2 and revoked_at is null",
      [person.userId, place.workspaceId],
    );
    expect(left).toEqual([]);
  }
});
