// Accepting an invitation: by whom, into what, and what follows from it, for people who have an account and for people
// who register.
import { expect, test } from "vitest";
import { newcomer } from "../../../../test/fixtures/fixture.ts";
import { lettersTo } from "../../../../test/mailbox.ts";
import { accept, endInvitation, invite, membershipOf, newAddress, setMembership } from "../../../../test/people.ts";
import { homeIn } from "../../../../test/stage.ts";
import { eventsOf } from "../../../../test/work.ts";
import { asSession, newKey, type Person, service, type World, world } from "../../../../test/world.ts";
import { NIL, newId, newSecret } from "../../../platform/wire/ids.ts";

const running = service();
const password = "quartz-lantern-48-vellum";
const stranger = async () => newcomer(await homeIn(running));
const invitation = async (place: World, { email }: Pick<Person, "email">, role = "member") =>
  (await invite(place.owner, place, { email, role })).body as { id: string; token: string };
const stateOf = async (id: string) =>
  (await running.sql<{ state: string }>("select state from invitations where id = $1", [id]))[0]?.state;
const verified = async ({ userId }: Person) =>
  (await running.sql("select from users where id = $1 and email_verified_at is not null", [userId])).length === 1;
/** What an acceptance leaves: the account's revision, the membership, and the events. */
const traces = async (place: World, person: Person) => ({
  revision: (await person.call("GET", "/me")).body.revision,
  membership: await membershipOf(running, place, person),
  events: await running.sql("select id from domain_events order by id", [], place.workspaceId),
  own: await running.sql("select id from domain_events where user_id = $1 order by id", [person.userId]),
});
const members = async ({ workspaceId }: World) =>
  (
    await running.sql<{ n: number }>("select count(*)::int as n from memberships where workspace_id = $1", [
      workspaceId,
    ])
  )[0]?.n;

test("the invited person becomes a member with the invited role, the address is verified, the session stays where it is", async () => {
  for (const role of ["admin", "member", "viewer"] as const) {
    const [place, person] = [await world(running), await stranger()];
    const { id, token } = await invitation(place, person, role);
    const answer = await accept(person, token);
    expect(answer.status).toBe(201);
    expect(answer.trips).toBeLessThanOrEqual(5);
    expect(answer.body).toMatchObject({ id: place.workspaceId, name: "Test", role, archived_at: null });
    expect(answer.body.capabilities.includes("members:manage")).toBe(role === "admin");
    expect(answer.cookies).toEqual([]);
    expect(await membershipOf(running, place, person)).toMatchObject({ role, state: "active", revision: "1" });
    expect([await stateOf(id), await verified(person)]).toEqual(["accepted", true]);
    expect(await lettersTo(running, person.email)).toHaveLength(1);
    expect((await person.call("GET", "/me")).body).toMatchObject({ workspace_id: null, email_verified: true });
    expect((await person.call("GET", `/workspaces/${place.workspaceId}`)).status).toBe(200);
    expect(
      (await person.call("PUT", "/auth/session/workspace", { body: { workspace_id: place.workspaceId } })).status,
    ).toBe(204);
  }
});

test("what happened is recorded in the Workspace by the new Actor, and for the account that its address is verified", async () => {
  const [place, person] = [await world(running), await stranger()];
  const { id, token } = await invitation(place, person);
  await accept(person, token);
  const { id: membershipId, actor_id } = await membershipOf(running, place, person);
  const events = await running.sql<{ type: string; actor_id: string; activity: string | null }>(
    "select type, actor_id, activity from domain_events where resource_id = any($1) order by id",
    [[id, membershipId]],
    place.workspaceId,
  );
  expect(events).toEqual([
    { type: "invitation.created", actor_id: place.owner.actorId, activity: null },
    { type: "invitation.accepted", actor_id, activity: null },
    { type: "member.joined", actor_id, activity: null },
  ]);
  const own = await eventsOf(running, { ...place, workspaceId: NIL }, person.userId);
  expect(own.map(({ type }) => type)).toEqual(["account.email_verified"]);
});

test("accepting again answers the same Workspace again, with the same key, with another and without one, and changes nothing", async () => {
  const [place, person, key] = [await world(running), await stranger(), newKey()];
  const { token } = await invitation(place, person);
  const first = await accept(person, token, { key });
  const again = await accept(person, token, { key });
  expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"]);
  const before = await traces(place, person);
  for (const options of [{}, { key: newKey() }]) {
    const used = await accept(person, token, options);
    expect([used.status, used.body]).toEqual([201, first.body]);
  }
  expect(await traces(place, person)).toEqual(before);
  expect(await members(place)).toBe(2);
});

test("what was used lets nobody back in whose membership has ended since, and nobody else in", async () => {
  for (const state of ["removed", "left", "suspended"]) {
    const [place, person] = [await world(running), await stranger()];
    const { token } = await invitation(place, person);
    expect((await accept(person, token)).status).toBe(201);
    const other = await stranger();
    expect((await accept(other, token)).body.code).toBe("not_found");
    await setMembership(running, place, person, `state = '${state}'`);
    const refused = await accept(person, token);
    expect([refused.status, refused.body.code]).toEqual([404, "not_found"]);
    expect((await membershipOf(running, place, person)).state).toBe(state);
    await setMembership(running, place, person, "state = 'active', role = 'viewer'");
    expect((await accept(person, token)).body).toMatchObject({ id: place.workspaceId, role: "viewer" });
    await running.sql("update workspaces set archived_at = now() where id = $1", [place.workspaceId]);
    expect((await accept(person, token)).body.code).toBe("not_found");
  }
});

test("of many who bring one token at the same time one joins, once, and all get the same Workspace", async () => {
  const [place, person] = [await world(running), await stranger()];
  const { token } = await invitation(place, person);
  const answers = await Promise.all(Array.from({ length: 8 }, () => accept(person, token)));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(201);
  const joined = await running.sql(
    "select from domain_events where type = 'member.joined' and workspace_id = $1",
    [place.workspaceId],
    place.workspaceId,
  );
  expect(joined).toHaveLength(1);
  expect(await members(place)).toBe(2);
  const [other, key] = [await stranger(), newKey()];
  const second = await invitation(place, other);
  const same = await Promise.all(Array.from({ length: 8 }, () => accept(other, second.token, { key })));
  expect(new Set(same.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(same[0]?.status).toBe(201);
  expect(await members(place)).toBe(3);
});

test("another address is refused and leaves the invitation as it is, whether the token is live or expired", async () => {
  const [place, person, thief] = [await world(running), await stranger(), await stranger()];
  const { id, token } = await invitation(place, person);
  const answer = await accept(thief, token);
  expect([answer.status, answer.body.code]).toEqual([403, "invitation_recipient_mismatch"]);
  expect([await stateOf(id), await verified(thief), await members(place)]).toEqual(["pending", false, 1]);
  await endInvitation(running, id);
  expect((await accept(thief, token)).status).toBe(403);
});

test("an invitation follows its address and not the account that had it", async () => {
  const [place, person] = [await world(running), await stranger()];
  const { token } = await invitation(place, person);
  await running.sql("update users set email = $2 where id = $1", [person.userId, newAddress()]);
  expect((await accept(person, token)).body.code).toBe("invitation_recipient_mismatch");
});

test("an expired token is 410 up to the moment, an unknown, malformed or foreign kind of one is 404", async () => {
  const [place, person] = [await world(running), await stranger()];
  const { id, token } = await invitation(place, person);
  await endInvitation(running, id, "now()");
  const expired = await accept(person, token);
  expect([expired.status, expired.body.code]).toEqual([410, "invitation_expired"]);
  await endInvitation(running, id, "now() + interval '1 minute'");
  for (const unknown of [newSecret("inv"), newSecret("lnk"), "x", token.slice(0, -1), `${token} `, person.session])
    expect((await accept(person, unknown)).body.code).toBe("not_found");
  for (const wrong of ["", "x".repeat(201), 7, null]) expect((await accept(person, wrong as string)).status).toBe(400);
  expect((await accept(person, token)).status).toBe(201);
});

test("an archived Workspace is not joined", async () => {
  const [place, person] = [await world(running), await stranger()];
  const { id, token } = await invitation(place, person);
  await running.sql("update workspaces set archived_at = now() where id = $1", [place.workspaceId]);
  expect((await accept(person, token)).body.code).toBe("not_found");
  expect(await stateOf(id)).toBe("pending");
  await running.sql("update workspaces set archived_at = null where id = $1", [place.workspaceId]);
  expect((await accept(person, token)).status).toBe(201);
});

test("who was removed or has left comes back with the invited role, the same membership and the same Actor", async () => {
  for (const state of ["removed", "left"]) {
    const place = await world(running);
    const person = await place.member("owner");
    const before = await membershipOf(running, place, person);
    await setMembership(running, place, person, `state = '${state}'`);
    const { token } = await invitation(place, person, "viewer");
    const answer = await accept(person, token);
    expect([answer.status, answer.body.role]).toEqual([201, "viewer"]);
    expect(await membershipOf(running, place, person)).toEqual({
      ...before,
      role: "viewer",
      state: "active",
      revision: "2",
    });
  }
});

test("an invitation is no way around a suspension, and neither raises nor lowers an active member", async () => {
  const place = await world(running);
  const person = await place.member("member");
  await setMembership(running, place, person, "state = 'removed'");
  const { id, token } = await invitation(place, person, "admin");
  await setMembership(running, place, person, "state = 'suspended'");
  const refused = await accept(person, token);
  expect([refused.status, refused.body.code]).toEqual([409, "membership_state_conflict"]);
  expect([await stateOf(id), (await membershipOf(running, place, person)).state]).toEqual(["pending", "suspended"]);
  await setMembership(running, place, person, "state = 'active'");
  const answer = await accept(person, token);
  expect([answer.status, answer.body.role]).toEqual([201, "member"]);
  expect([await stateOf(id), (await membershipOf(running, place, person)).role]).toEqual(["accepted", "member"]);
  const { id: membershipId } = await membershipOf(running, place, person);
  expect(await eventsOf(running, place, membershipId)).toEqual([]);
});

// ---- registering with an invitation
// --------------------------------------------------------------------------------------------------

const register = (body: object, path = "/auth/register") =>
  running.send("POST", path, { body: { password, display_name: "Ada", ...body } });
const accounts = async (email: string) => (await running.sql("select from users where email = $1", [email])).length;
const secretIn = (cookies: string[]) => cookies[0]?.match(/^__Host-svc_session=([^;]+)/)?.[1] as string;

test("who registers with the invitation is verified, a member, and in the Workspace at once, without another letter", async () => {
  const place = await world(running);
  const email = newAddress();
  const { id, token } = await invitation(place, { email }, "admin");
  const answer = await register({ email: email.toUpperCase(), invitation_token: token });
  expect(answer.status).toBe(201);
  expect(answer.trips).toBeLessThanOrEqual(6);
  expect(answer.body).toMatchObject({ email, email_verified: true, workspace_id: place.workspaceId });
  expect(answer.body.capabilities).toEqual(["workspace:create", "api_token:create"]);
  const person = asSession(running, secretIn(answer.cookies));
  expect((await person("GET", "/me")).body).toEqual(answer.body);
  expect((await person("GET", `/workspaces/${place.workspaceId}/members`)).body.items).toHaveLength(2);
  expect(await stateOf(id)).toBe("accepted");
  expect(await lettersTo(running, email)).toHaveLength(1);
  const [member] = await running.sql<{ actor_id: string; role: string }>(
    "select actor_id, role from memberships where workspace_id = $1 and user_id = $2",
    [place.workspaceId, answer.body.id],
  );
  expect(member?.role).toBe("admin");
  const events = await running.sql<{ type: string; user_id: string }>(
    "select type, user_id from domain_events where actor_id = $1 order by id",
    [member?.actor_id],
    place.workspaceId,
  );
  expect(events).toEqual([
    { type: "invitation.accepted", user_id: answer.body.id },
    { type: "member.joined", user_id: answer.body.id },
  ]);
  const own = await eventsOf(running, { ...place, workspaceId: NIL }, answer.body.id);
  expect(own.map(({ type }) => type).sort()).toEqual(["account.email_verified", "account.registered"]);
});

test("a native application registers with an invitation in the same way", async () => {
  const place = await world(running);
  const email = newAddress();
  const { token } = await invitation(place, { email });
  const { status, body } = await register({ email, invitation_token: token }, "/mobile/auth/register");
  expect([status, body.account.email_verified]).toEqual([201, true]);
  const headers = { authorization: `Bearer ${body.access_token}` };
  expect((await running.send("GET", `/workspaces/${place.workspaceId}/members`, { headers })).body.items).toHaveLength(
    2,
  );
});

test("an invitation that is unknown, malformed, expired, revoked, used, for another address or archived creates nothing", async () => {
  const place = await world(running);
  const { owner, workspaceId } = place;
  const made = async (spoil: (id: string, token: string) => Promise<unknown>) => {
    const email = newAddress();
    const { id, token } = await invitation(place, { email });
    await spoil(id, token);
    return { email, invitation_token: token };
  };
  const cases = [
    { email: newAddress(), invitation_token: newSecret("inv") },
    { email: newAddress(), invitation_token: newSecret("lnk") },
    { email: newAddress(), invitation_token: "x" },
    await made((id) => endInvitation(running, id)),
    await made((id) => owner.call("DELETE", `/workspaces/${workspaceId}/invitations/${id}`)),
    await made((id) => running.sql("update invitations set state = 'accepted' where id = $1", [id])),
    { ...(await made(async () => {})), email: newAddress() },
  ];
  const other = await world(running);
  const archived = newAddress();
  const { token } = await invitation(other, { email: archived });
  await running.sql("update workspaces set archived_at = now() where id = $1", [other.workspaceId]);
  for (const body of [...cases, { email: archived, invitation_token: token }])
    for (const path of ["/auth/register", "/mobile/auth/register"]) {
      const answer = await register(body, path);
      expect([answer.status, answer.body.code, answer.cookies]).toEqual([400, "invalid_invitation", []]);
      expect(answer.body.errors).toMatchObject([{ pointer: "/body/invitation_token" }]);
      expect(await accounts(body.email)).toBe(0);
    }
  expect(await members(place)).toBe(1);
});

test("an address that has an account signs in instead, and its invitation stays", async () => {
  const [place, person] = [await world(running), await stranger()];
  const { id, token } = await invitation(place, person);
  expect((await register({ email: person.email, invitation_token: token })).body.code).toBe("email_taken");
  expect(await stateOf(id)).toBe("pending");
});

test("of many who register with one invitation at the same time one gets an account and a membership", async () => {
  const place = await world(running);
  const email = newAddress();
  const { token } = await invitation(place, { email });
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => register({ email, invitation_token: token, display_name: newId() })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const { body, status } of answers)
    if (status !== 201) expect(["email_taken", "invalid_invitation"]).toContain(body.code);
  expect([await accounts(email), await members(place)]).toEqual([1, 2]);
});
