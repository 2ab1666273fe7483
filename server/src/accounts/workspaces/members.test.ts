// The people of a Workspace.
import { expect, test } from "vitest";
import { insertCredential, service, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";

const running = service();

test("every member sees everybody in the order of joining; proved addresses only those who manage members", async () => {
  const { owner, member, workspaceId } = await world(running);
  const people = {
    owner,
    admin: await member("admin"),
    member: await member("member"),
    viewer: await member("viewer"),
  };
  const order = Object.values(people).map(({ userId }) => userId);
  const prove = "update users set email_verified_at = now(), email_proved_at = now() where id = any($1)";
  await running.sql(prove, [order.slice(1)]);
  for (const [role, person] of Object.entries(people)) {
    const answer = await person.call("GET", `/workspaces/${workspaceId}/members`);
    expect(answer.trips).toBe(1);
    expect(answer.body.items.map((row: { user_id: string }) => row.user_id)).toEqual(order);
    const manages = role === "owner" || role === "admin";
    const emails = Object.values(people).map(({ email }, at) => (manages && at > 0 ? email : null));
    expect(answer.body.items.map((row: { email: string | null }) => row.email)).toEqual(emails);
  }
});

test("a member shows its three identifiers, role and state", async () => {
  const { owner, workspaceId } = await world(running);
  const [row] = (await owner.call("GET", `/workspaces/${workspaceId}/members`)).body.items;
  expect(row).toMatchObject({
    user_id: owner.userId,
    actor_id: owner.actorId,
    role: "owner",
    state: "active",
    revision: "1",
  });
  expect(new Set([row.id, row.user_id, row.actor_id]).size).toBe(3);
  expect(row.display_name).toMatch(/^Person/);
});

test("former and suspended members stay in the list, and state filters it", async () => {
  const { owner, member, workspaceId } = await world(running);
  const [suspended, removed] = [await member("member"), await member("viewer")];
  const set = "update memberships set state = $2 where user_id = $1";
  await running.sql(set, [suspended.userId, "suspended"]);
  await running.sql(set, [removed.userId, "removed"]);
  const users = async (query: string) =>
    (await owner.call("GET", `/workspaces/${workspaceId}/members${query}`)).body.items.map(
      (row: { user_id: string }) => row.user_id,
    );
  expect(await users("")).toEqual([owner.userId, suspended.userId, removed.userId]);
  expect(await users("?state=active")).toEqual([owner.userId]);
  expect(await users("?state=suspended")).toEqual([suspended.userId]);
  expect(await users("?state=removed")).toEqual([removed.userId]);
  expect(await users("?state=left")).toEqual([]);
  expect((await owner.call("GET", `/workspaces/${workspaceId}/members?state=gone`)).status).toBe(400);
  for (const person of [suspended, removed])
    expect((await person.call("GET", `/workspaces/${workspaceId}/members`)).status).toBe(404);
});

test("the list pages by cursor, and a cursor serves no other filter", async () => {
  const { owner, member, workspaceId } = await world(running);
  for (let n = 0; n < 4; n++) await member("member");
  const seen: string[] = [];
  let query = "?limit=2";
  for (let pages = 0; pages < 3; pages++) {
    const { body } = await owner.call("GET", `/workspaces/${workspaceId}/members${query}`);
    seen.push(...body.items.map((row: { id: string }) => row.id));
    expect(body.has_more).toBe(pages < 2);
    query = `?limit=2&cursor=${body.next_cursor}`;
    if (pages === 0)
      expect((await owner.call("GET", `/workspaces/${workspaceId}/members${query}&state=active`)).body.code).toBe(
        "invalid_cursor",
      );
  }
  expect(new Set(seen).size).toBe(5);
});

test("a foreign Workspace has no members to see, and only session and native client may look", async () => {
  const [here, there] = [await world(running), await world(running)];
  const path = `/workspaces/${here.workspaceId}/members`;
  expect((await there.owner.call("GET", path)).status).toBe(404);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, here.owner.userId, here.workspaceId, []);
  expect((await here.owner.bearer(native, "GET", path)).status).toBe(200);
  expect((await here.owner.bearer(await here.token(), "GET", path)).body.code).toBe("credential_kind_not_allowed");
});
