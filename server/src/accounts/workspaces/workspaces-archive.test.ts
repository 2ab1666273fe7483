// Archiving and restoring a Workspace: the specification's table of states, row by row, with every refusal.
import { describe, expect, test } from "vitest";
import { mcpPrincipal } from "../../../test/mcp.ts";
import { cli, refreshed, registered, tokensFor } from "../../../test/oauth.ts";
import { overlapping } from "../../../test/overlap.ts";
import { eventsOf, joinWorkspace, newProject, sessionIn } from "../../../test/work.ts";
import { insertCredential, newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const running = service();
const pathOf = ({ workspaceId }: Pick<World, "workspaceId">) => `/workspaces/${workspaceId}`;
const unique = (text: string) => `${text}-${newId().slice(-12)}`;

/** The same person in another Workspace, with a session there. */
async function alsoIn({ workspaceId }: World, { userId }: Person, role = "member") {
  await joinWorkspace(running, workspaceId, userId, role);
  return sessionIn(running, workspaceId, userId);
}
/** A Workspace whose owner belongs to another one as well, and is in a session there. */
async function leavable() {
  const [place, other] = [await world(running), await world(running)];
  return { place, other, elsewhere: await alsoIn(other, place.owner) };
}
const archive = (call: Person["call"], place: Pick<World, "workspaceId">) => call("DELETE", pathOf(place));
const restore = (call: Person["call"], place: World, ifMatch: string) =>
  call("PATCH", pathOf(place), { body: { archived: false }, ifMatch });

describe("archiving", () => {
  test("an owner archives: every session in it ends at once, the caller's cookies go, and no data is deleted", async () => {
    const { place, elsewhere } = await leavable();
    const { id: projectId } = await newProject(place);
    const member = await place.member("member");
    const answer = await archive(place.owner.call, place);
    expect([answer.status, answer.trips <= 5]).toEqual([204, true]);
    expect(answer.cookies.map((cookie) => cookie.split(";")[0])).toEqual(["__Host-svc_session=", "__Host-svc_csrf="]);
    for (const { call } of [place.owner, member]) {
      const dead = await call("GET", "/me");
      expect([dead.status, dead.body.code]).toEqual([401, "authentication_required"]);
    }
    expect((await elsewhere.call("GET", "/me")).status).toBe(200);
    expect(await running.sql("select 1 from projects where id = $1", [projectId], place.workspaceId)).toHaveLength(1);
    expect(await eventsOf(running, place, place.workspaceId)).toMatchObject([
      { type: "workspace.archived", activity: null },
    ]);
  });

  test("from a session elsewhere it keeps that session and its cookies, and a key repeats the answer", async () => {
    const { place, elsewhere } = await leavable();
    const key = newKey();
    const [first, second] = [
      await elsewhere.call("DELETE", pathOf(place), { key }),
      await elsewhere.call("DELETE", pathOf(place), { key }),
    ];
    expect([first.status, first.cookies, second.status]).toEqual([204, [], 204]);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect((await archive(elsewhere.call, place)).status, "it is archived already").toBe(404);
  });

  test("only an owner: an admin is refused", async () => {
    const { place, other } = await leavable();
    const admin = await place.member("admin");
    await alsoIn(other, admin);
    const answer = await archive(admin.call, place);
    expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
  });

  test("only with an authentication of the last 15 minutes", async () => {
    const { place } = await leavable();
    const at = (ago: string) =>
      running.sql(`update credentials set authenticated_at = now() - interval '${ago}' where user_id = $1`, [
        place.owner.userId,
      ]);
    await at("15 minutes 1 second");
    const answer = await archive(place.owner.call, place);
    expect([answer.status, answer.body.code]).toEqual([403, "recent_authentication_required"]);
    await at("14 minutes 50 seconds");
    expect((await archive(place.owner.call, place)).status).toBe(204);
  });

  test("not the caller's last active Workspace: archived ones and ended memberships do not count", async () => {
    const { place, other } = await leavable();
    const set = (sql: string) => running.sql(sql, [other.workspaceId]);
    const refused = async () => {
      const answer = await archive(place.owner.call, place);
      expect([answer.status, answer.body.code]).toEqual([409, "last_workspace"]);
    };
    await set("update workspaces set archived_at = now() where id = $1");
    await refused();
    await set("update workspaces set archived_at = null where id = $1");
    await set("update memberships set state = 'suspended' where workspace_id = $1 and role = 'member'");
    await refused();
    expect((await place.owner.call("GET", "/me")).status, "nothing was ended").toBe(200);
    await set("update memberships set state = 'active' where workspace_id = $1");
    expect((await archive(place.owner.call, place)).status).toBe(204);
  });

  test("of two archives of the last two Workspaces at once, one is refused, however they overlap", async () => {
    for (let round = 0; round < 10; round++) {
      const [first, second] = [await world(running), await world(running)];
      await alsoIn(second, first.owner, "owner");
      const { call } = await sessionIn(running, null, first.owner.userId);
      const hold = "select from users where id = $1 for update";
      const answers = await overlapping(running, [hold, first.owner.userId], 2, () =>
        Promise.all([archive(call, first), archive(call, second)]),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.code).toBe("last_workspace");
    }
  });

  test("no session comes into it while it is archived: switching and archiving at once leave none alive there", async () => {
    const { place, other } = await leavable();
    const sessions = await Promise.all(
      Array.from({ length: 4 }, () => sessionIn(running, other.workspaceId, place.owner.userId)),
    );
    const { call } = await sessionIn(running, other.workspaceId, place.owner.userId);
    const hold = "select from workspaces where id = $1 for update";
    await overlapping(running, [hold, place.workspaceId], 5, () =>
      Promise.all([
        ...sessions.slice(0, 2).map((each) => switched(each.call, place)),
        archive(call, place),
        ...sessions.slice(2).map((each) => switched(each.call, place)),
      ]),
    );
    const alive = "select 1 from credentials where workspace_id = $1 and kind = 'session' and revoked_at is null";
    expect(await running.sql(alive, [place.workspaceId])).toEqual([]);
  });
  const switched = (call: Person["call"], { workspaceId }: World) =>
    call("PUT", "/auth/session/workspace", { body: { workspace_id: workspaceId } });
});

describe("archived", () => {
  /** Archived, with a session of its owner elsewhere. */
  async function archived() {
    const { place, other, elsewhere } = await leavable();
    const admin = await place.member("admin");
    const others = await alsoIn(other, admin);
    expect((await archive(elsewhere.call, place)).status).toBe(204);
    return { place, other, elsewhere, admin: others };
  }

  test("its routes are not found, save an owner's read and the restoring PATCH", async () => {
    const { place, elsewhere, admin } = await archived();
    const read = await elsewhere.call("GET", pathOf(place));
    expect([read.status, read.body.capabilities]).toEqual([200, ["workspace:read", "workspace:restore"]]);
    expect(read.body).toMatchObject({ revision: "2", archived_at: expect.any(String) });
    const { call } = await sessionIn(running, place.workspaceId, place.owner.userId);
    for (const [method, path, options] of [
      ["GET", "/members"],
      ["GET", "/projects"],
      ["GET", "/settings"],
      ["PATCH", "/settings", { body: { locale: "de" }, ifMatch: "0" }],
      ["GET", "/ai-access-policy"],
      ["GET", "/knowledge-settings"],
      ["GET", "/mcp-service-credentials"],
      ["GET", "/icon/content"],
      ["DELETE", "/icon"],
      ["GET", "/activity"],
      ["DELETE", ""],
      ["PATCH", "", { body: { name: "New" }, ifMatch: "2" }],
      ["PATCH", "", { body: { slug: unique("new") }, ifMatch: "2" }],
    ] as const)
      expect((await call(method, pathOf(place) + path, options)).status, `${method} ${path}`).toBe(404);
    expect((await admin.call("GET", pathOf(place))).status).toBe(404);
    expect((await restore(admin.call, place, "2")).status, "an admin does not see it").toBe(404);
  });

  test("an owner restores it: it is as it was, and the sessions stay ended", async () => {
    const { place, elsewhere } = await archived();
    expect((await restore(elsewhere.call, place, "1")).body).toMatchObject({
      code: "revision_conflict",
      current_revision: "2",
    });
    const answer = await restore(elsewhere.call, place, "2");
    expect(answer.body).toMatchObject({ archived_at: null, revision: "3", role: "owner" });
    expect(answer.body.capabilities).toContain("workspace:manage");
    expect((await place.owner.call("GET", "/me")).status).toBe(401);
    const { call } = await sessionIn(running, place.workspaceId, place.owner.userId);
    expect((await call("GET", `${pathOf(place)}/members`)).body.items).toHaveLength(2);
    expect(await eventsOf(running, place, place.workspaceId)).toMatchObject([
      { type: "workspace.archived" },
      { type: "workspace.restored", activity: null },
    ]);
  });

  test("restoring one that is active changes nothing, and is an owner's all the same", async () => {
    const place = await world(running);
    const answer = await restore(place.owner.call, place, "1");
    expect([answer.status, answer.body.revision]).toEqual([200, "1"]);
    const admin = await place.member("admin");
    expect((await restore(admin.call, place, "1")).body.code).toBe("forbidden");
  });

  test("restoring is refused while its creator has another active Free Workspace, also when both come at once", async () => {
    const { place, elsewhere } = await archived();
    const claimed = await elsewhere.call("POST", "/workspaces", { body: { name: unique("Second") } });
    expect(claimed.status).toBe(201);
    const refused = await restore(elsewhere.call, place, "2");
    expect([refused.status, refused.body.code]).toEqual([409, "free_workspace_claimed"]);
    expect((await archive(elsewhere.call, { workspaceId: claimed.body.id })).status).toBe(204);
    const [restored, created] = await Promise.all([
      restore(elsewhere.call, place, "2"),
      elsewhere.call("POST", "/workspaces", { body: { name: unique("Third") } }),
    ]);
    expect([restored.status, created.status].sort()).toEqual(restored.status === 200 ? [200, 409] : [201, 409]);
    expect([restored, created].find(({ status }) => status === 409)?.body.code).toBe("free_workspace_claimed");
  });

  test("tokens bound to it rest while it is archived and work again afterwards", async () => {
    const { place, elsewhere } = await leavable();
    const pat = await place.token();
    const developer = await tokensFor(running, place, cli);
    const client = await registered(running);
    const mcp = await tokensFor(running, place, client);
    const native = newSecret("nat");
    await insertCredential(running, "native", native, place.owner.userId, null, []);
    const body = { name: "Report", scopes: ["svc:read"] };
    const own = (await place.owner.call("POST", `${pathOf(place)}/mcp-service-credentials`, { body })).body.token;
    const statuses = async () => [
      ...(await Promise.all(
        [pat, developer.access_token, native].map(
          async (token) => (await place.owner.bearer(token, "GET", `${pathOf(place)}/projects`)).status,
        ),
      )),
      ...(await Promise.all(
        [mcp.access_token, own].map(async (token) => (await mcpPrincipal(running, token))?.workspace_id),
      )),
    ];
    const { workspaceId } = place;
    expect(await statuses()).toEqual([200, 200, 200, workspaceId, workspaceId]);
    expect((await archive(elsewhere.call, place)).status).toBe(204);
    expect(await statuses()).toEqual([404, 404, 404, undefined, undefined]);
    for (const [each, token] of [
      [cli, developer.refresh_token],
      [client, mcp.refresh_token],
    ] as const)
      expect((await refreshed(running, each, token)).body.error).toBe("invalid_grant");
    expect((await restore(elsewhere.call, place, "2")).status).toBe(200);
    expect(await statuses()).toEqual([200, 200, 200, workspaceId, workspaceId]);
    expect((await refreshed(running, client, mcp.refresh_token)).status, "it was not used up").toBe(200);
  });
});
