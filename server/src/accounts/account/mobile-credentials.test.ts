// The native applications that are signed in to an account, as its owner sees and ends them.
import { expect, test } from "vitest";
import { nativeTokens, refreshRequest, sendForm } from "../../../test/native.ts";
import { overlapping } from "../../../test/overlap.ts";
import { insertCredential, newKey, type Person, service, world } from "../../../test/world.ts";
import { NIL, newId, newSecret } from "../../platform/wire/ids.ts";

const running = service();
const path = "/me/mobile-credentials";
const getsIn = async (token: string) =>
  (await running.send("GET", "/me", { headers: { authorization: `Bearer ${token}` } })).status === 200;
const refreshes = async (tokens: { refresh: string | null }) =>
  (await sendForm(running, "/mobile/oauth/token", refreshRequest(tokens))).status === 200;
const idsOf = async (person: Person) =>
  (await person.call("GET", path)).body.items.map((item: { id: string }) => item.id) as string[];

test("the list shows one's own signed-in applications, newest first, in one round-trip", async () => {
  const { owner, member } = await world(running);
  await nativeTokens(running, (await member("member")).userId);
  const [first, second] = [await nativeTokens(running, owner.userId), await nativeTokens(running, owner.userId)];
  const { body, trips } = await owner.call("GET", path);
  expect(trips).toBe(1);
  expect(body.items.map(({ id }: { id: string }) => id)).toEqual([second.grantId, first.grantId]);
  expect(body.items[0]).toMatchObject({ client_name: "svc for mobile", device_name: null, revision: "1" });
  const { last_used_at, expires_at } = body.items[0];
  expect((Date.parse(expires_at) - Date.parse(last_used_at)) / 86_400_000).toBe(60);
});

test("one that was signed out, never got tokens, or was not used for 60 days is not in the list", async () => {
  const { owner } = await world(running);
  const change = (grantId: string, set: string) =>
    running.sql(`update oauth_grants set ${set} where id = $1`, [grantId]);
  const tokens = () => nativeTokens(running, owner.userId);
  const [out, unused, idle, barely] = [await tokens(), await tokens(), await tokens(), await tokens()];
  await change(out.grantId, "revoked_at = now()");
  await change(unused.grantId, "last_used_at = null");
  await change(idle.grantId, "last_used_at = now() - interval '60 days'");
  await change(barely.grantId, "last_used_at = now() - interval '60 days' + interval '1 minute'");
  await insertCredential(running, "developer", newSecret("dat"), owner.userId, null, []);
  expect(await idsOf(owner)).toEqual([barely.grantId]);
});

test("signing one out ends its access and refresh tokens with the answer, and no other's", async () => {
  const { owner } = await world(running);
  const [ended, other] = [await nativeTokens(running, owner.userId), await nativeTokens(running, owner.userId)];
  const answer = await owner.call("DELETE", `${path}/${ended.grantId}`, { key: newKey() });
  expect(answer.status).toBe(204);
  expect(answer.trips).toBeLessThanOrEqual(5);
  expect([await getsIn(ended.access), await refreshes(ended)]).toEqual([false, false]);
  expect([await getsIn(other.access), await refreshes(other)]).toEqual([true, true]);
  expect(await idsOf(owner)).toEqual([other.grantId]);
  expect((await owner.call("DELETE", `${path}/${ended.grantId}`)).status, "again").toBe(204);
});

test("nobody signs out somebody else's, nor a client of another family", async () => {
  const [{ owner }, { owner: stranger }] = [await world(running), await world(running)];
  const tokens = await nativeTokens(running, owner.userId);
  await insertCredential(running, "developer", newSecret("dat"), stranger.userId, null, []);
  const [developer] = (await running.sql<{ id: string }>("select id from oauth_grants where user_id = $1", [
    stranger.userId,
  ])) as [{ id: string }];
  for (const id of [tokens.grantId, developer.id, newId()])
    expect((await stranger.call("DELETE", `${path}/${id}`)).status).toBe(404);
  expect((await stranger.call("DELETE", path)).status).toBe(204);
  expect(await getsIn(tokens.access)).toBe(true);
  const [left] = await running.sql<{ revoked_at: null }>("select revoked_at from oauth_grants where id = $1", [
    developer.id,
  ]);
  expect(left?.revoked_at).toBeNull();
});

test("signing all out ends every native family and no session", async () => {
  const { owner, token } = await world(running);
  const families = await Promise.all(Array.from({ length: 5 }, () => nativeTokens(running, owner.userId)));
  await token();
  expect((await owner.call("DELETE", path)).status).toBe(204);
  for (const tokens of families) expect([await getsIn(tokens.access), await refreshes(tokens)]).toEqual([false, false]);
  expect(await idsOf(owner), "the session lives").toEqual([]);
  const live = "select kind from credentials where user_id = $1 and revoked_at is null order by kind";
  expect(await running.sql(live, [owner.userId])).toEqual([{ kind: "personal" }, { kind: "session" }]);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1 and type = 'mobile_credential.revoked'",
    [owner.userId],
    NIL,
  );
  expect(events).toHaveLength(5);
});

test("a token that is issued while its family is being ended does not outlive it", async () => {
  const { owner } = await world(running);
  for (const to of [path, null]) {
    const { grantId } = await nativeTokens(running, owner.userId);
    const issued = newSecret("nat");
    const rotating = `
      with g as (update oauth_grants set last_used_at = now() where id = $1 returning *)
      insert into credentials (id, kind, secret_hash, user_id, grant_id, expires_at)
      select $2, 'native', sha256($3::bytea), user_id, id, now() + interval '15 minutes' from g`;
    await overlapping(running, [rotating, grantId, newId(), issued], 1, () =>
      owner.call("DELETE", to ?? `${path}/${grantId}`),
    );
    expect(await getsIn(issued)).toBe(false);
  }
});

test("the family is dead on every operation that a native token opens", async () => {
  const { owner, workspaceId } = await world(running);
  const tokens = await nativeTokens(running, owner.userId);
  await owner.call("DELETE", `${path}/${tokens.grantId}`);
  for (const [method, to] of [
    ["GET", "/me"],
    ["GET", "/workspaces"],
    ["GET", `/workspaces/${workspaceId}/members`],
    ["PUT", `${path}/current/push-device`],
    ["DELETE", `${path}/current/push-device`],
    ["POST", "/mobile/oauth/revoke"],
  ] as const)
    expect((await owner.bearer(tokens.access, method, to)).body.code, to).toBe("invalid_token");
});
