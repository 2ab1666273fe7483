// The people of a Workspace: seen by its members and by nobody else, present and former.
import { expect, test } from "vitest";
import { smallPicture } from "../../../test/pictures.ts";
import { insertCredential, type Person, service, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const running = service();
const at = (workspaceId: string, name: string) => `/workspaces/${workspaceId}/people/${name}`;
const pictureAt = (workspaceId: string, userId: string) => `${at(workspaceId, userId)}/profile-picture/content`;
const setPicture = async (person: Person) =>
  person.call("POST", "/me/profile-picture", { raw: await smallPicture(), headers: { "content-type": "image/png" } });
const become = (person: Person, state: string) =>
  running.sql("update memberships set state = $2 where user_id = $1", [person.userId, state]);

test("a colleague is found by username, with role, state, time zone and whether there is a picture", async () => {
  const { owner, member, workspaceId } = await world(running);
  const guest = await member("viewer");
  await running.sql("update users set timezone = 'Europe/London', username = $2, display_name = 'Ada' where id = $1", [
    guest.userId,
    `ada-${guest.userId.slice(-12)}`,
  ]);
  const answer = await owner.call("GET", at(workspaceId, `ada-${guest.userId.slice(-12)}`));
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    user_id: guest.userId,
    actor_id: guest.actorId,
    username: `ada-${guest.userId.slice(-12)}`,
    display_name: "Ada",
    role: "viewer",
    state: "active",
    timezone: "Europe/London",
    has_picture: false,
    picture_url: null,
    joined_at: expect.any(String),
    capabilities: ["member:update", "member:remove"],
  });
  expect(answer.trips).toBe(1);
  expect(answer.text).not.toContain(guest.email);
  await setPicture(guest);
  const seen = await guest.call("GET", at(workspaceId, `ada-${guest.userId.slice(-12)}`));
  expect(seen.body).toMatchObject({ has_picture: true, capabilities: [] });
});

test("somebody of another Workspace, somebody who was only invited and nobody are the same: 404", async () => {
  const { owner, member, workspaceId } = await world(running);
  const stranger = (await world(running)).owner;
  await setPicture(stranger);
  const invited = await member("member");
  await setPicture(invited);
  await become(invited, "invited");
  const headers = { "x-correlation-id": "one-and-the-same" };
  for (const [found, absent] of [
    [at(workspaceId, stranger.userId), at(workspaceId, newId())],
    [at(workspaceId, invited.userId), at(workspaceId, newId())],
    [pictureAt(workspaceId, stranger.userId), pictureAt(workspaceId, newId())],
    [pictureAt(workspaceId, invited.userId), pictureAt(workspaceId, newId())],
  ] as const) {
    const answers = [await owner.call("GET", found, { headers }), await owner.call("GET", absent, { headers })];
    expect(
      answers.map(({ status }) => status),
      found,
    ).toEqual([404, 404]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  }
});

test("who has left or was removed stays attributable, with name and picture, and no longer shows a time zone", async () => {
  const { owner, member, workspaceId } = await world(running);
  for (const state of ["suspended", "removed", "left"]) {
    const former = await member("member");
    await setPicture(former);
    await become(former, state);
    const { body } = await owner.call("GET", at(workspaceId, former.userId));
    expect(body).toMatchObject({ user_id: former.userId, actor_id: former.actorId, state, has_picture: true });
    expect(body.timezone).toBe(state === "suspended" ? "UTC" : null);
    expect((await owner.call("GET", pictureAt(workspaceId, former.userId))).status).toBe(302);
    // And sees nobody.
    expect((await former.call("GET", at(workspaceId, owner.userId))).status).toBe(404);
    expect((await former.call("GET", pictureAt(workspaceId, former.userId))).status).toBe(404);
  }
});

test("a colleague's picture is shown by a redirect to storage, and is 404 where there is none", async () => {
  const { owner, member, workspaceId } = await world(running);
  const guest = await member("member");
  expect((await owner.call("GET", pictureAt(workspaceId, guest.userId))).status).toBe(404);
  await setPicture(guest);
  const answer = await owner.call("GET", pictureAt(workspaceId, guest.userId));
  expect([answer.status, answer.trips <= 2]).toEqual([302, true]);
  const stored = await fetch((answer.headers.get("location") as string).replace("localhost", "127.0.0.1"));
  expect([stored.status, stored.headers.get("content-type")]).toEqual([200, "image/webp"]);
  await guest.call("DELETE", "/me/profile-picture");
  expect((await owner.call("GET", pictureAt(workspaceId, guest.userId))).status).toBe(404);
});

test("members of another Workspace see neither profile nor picture, also where they share another one", async () => {
  const [here, there] = [await world(running), await world(running)];
  const both = await here.member("member");
  await setPicture(both);
  await running.sql("update memberships set user_id = $1 where workspace_id = $2 and user_id = $3", [
    both.userId,
    there.workspaceId,
    (await there.member("member")).userId,
  ]);
  expect((await there.owner.call("GET", at(there.workspaceId, both.userId))).status).toBe(200);
  expect((await there.owner.call("GET", pictureAt(there.workspaceId, both.userId))).status).toBe(302);
  for (const path of [at(here.workspaceId, both.userId), pictureAt(here.workspaceId, both.userId)])
    expect((await there.owner.call("GET", path)).status).toBe(404);
});

test("a native client sees people of the Workspace that the path names; a token sees none", async () => {
  const { owner, workspaceId, token } = await world(running);
  await setPicture(owner);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, null, []);
  expect((await owner.bearer(native, "GET", at(workspaceId, owner.userId))).status).toBe(200);
  expect((await owner.bearer(native, "GET", pictureAt(workspaceId, owner.userId))).status).toBe(302);
  const personal = await token();
  for (const path of [at(workspaceId, owner.userId), pictureAt(workspaceId, owner.userId)])
    expect((await owner.bearer(personal, "GET", path)).body.code).toBe("credential_kind_not_allowed");
});

test("a username that nobody can have is a malformed path", async () => {
  const { owner, workspaceId } = await world(running);
  for (const name of ["Ada", "a.b", "a%20b", "%00", "ä", "x".repeat(65), "a_b"])
    expect((await owner.call("GET", at(workspaceId, name))).body.code, name).toBe("invalid_request");
  expect((await owner.call("GET", pictureAt(workspaceId, "ada"))).body.code).toBe("invalid_request");
});
