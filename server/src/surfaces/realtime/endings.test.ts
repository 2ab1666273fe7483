// When a socket is ended: with the session, the token, the membership or the Workspace that it was opened with, and
// with nothing of anybody else's.
import { afterEach, describe, expect, test } from "vitest";
import { nativeTokens } from "../../../test/native.ts";
import { ideToken, leaveAll, listenWith, welcomedAt } from "../../../test/realtime.ts";
import { workshopOn } from "../../../test/work.ts";
import { type Person, service, sessionHeaders, world } from "../../../test/world.ts";

const running = service();
afterEach(leaveAll);
const welcomed = (person: Pick<Person, "session">) => welcomedAt(running, person);

describe("a socket is ended with bye", () => {
  test("where the session is signed out or revoked", async () => {
    const { home, owner } = await workshopOn(running);
    const ada = await home.member("member");
    const [first, second] = [await welcomed(ada), await welcomed(ada)];
    const stays = await welcomed(owner);
    await ada.call("POST", "/auth/logout");
    for (const listener of [first, second])
      expect(await listener.bye()).toEqual({ code: "session_ended", retry_after: 1, close: 4401 });
    await stays.settled();
  });

  test("where the session goes to another Workspace", async () => {
    const { owner } = await world(running);
    const other = await world(running);
    const joined = await other.member("member");
    await running.sql("update memberships set user_id = $1 where workspace_id = $2 and user_id = $3", [
      owner.userId,
      other.workspaceId,
      joined.userId,
    ]);
    const listener = await welcomed(owner);
    expect(
      (await owner.call("PUT", "/auth/session/workspace", { body: { workspace_id: other.workspaceId } })).status,
    ).toBe(204);
    expect(await listener.bye()).toEqual({ code: "workspace_changed", retry_after: 1, close: 4409 });
  });

  for (const [what, change] of Object.entries({
    "is suspended": "update memberships set state = 'suspended' where workspace_id = $1 and user_id = $2",
    "is removed": "update memberships set state = 'removed' where workspace_id = $1 and user_id = $2",
    "loses the Workspace, which is archived":
      "update workspaces set archived_at = now() where id = $1 and $2::uuid is not null",
  }))
    test(`where its person ${what}, with every kind of credential, and what was account's alone goes on`, async () => {
      const { home } = await workshopOn(running);
      const ada = await home.member("member");
      const { access } = await nativeTokens(running, ada.userId);
      const alone = await listenWith(running, access);
      const listeners = [
        await welcomed(ada),
        await listenWith(running, access, home.workspaceId),
        await listenWith(running, await ideToken(running, ada.userId, home.workspaceId)),
      ];
      for (const listener of listeners) await listener.subscribe("workspace");
      await running.sql(change, [home.workspaceId, ada.userId]);
      for (const listener of listeners)
        expect(await listener.bye()).toEqual({ code: "membership_ended", retry_after: 1, close: 4403 });
      await alone.settled();
    });

  test("where a token is revoked, and not where another of the same person is", async () => {
    const { home, owner } = await workshopOn(running);
    const [one, other] = [
      await ideToken(running, owner.userId, home.workspaceId),
      await ideToken(running, owner.userId, home.workspaceId),
    ];
    const [listener, stays] = [await listenWith(running, one), await listenWith(running, other)];
    await running.sql("update credentials set revoked_at = now() where secret_hash = sha256($1::bytea)", [one]);
    expect(await listener.bye()).toEqual({ code: "token_ended", retry_after: 1, close: 4401 });
    await stays.settled();
  });

  test("and who has ended cannot come back with the same", async () => {
    const { home } = await workshopOn(running);
    const ada = await home.member("member");
    await ada.call("POST", "/auth/logout");
    const { status } = await running.send("GET", "/realtime", {
      headers: { cookie: sessionHeaders(ada.session).cookie },
    });
    expect(status).toBe(401);
  });
});
