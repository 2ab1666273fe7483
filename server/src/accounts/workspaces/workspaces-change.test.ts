// Changing a Workspace, and what a native client does with its own.
import { describe, expect, test } from "vitest";
import { eventsOf, joinWorkspace, sessionIn } from "../../../test/work.ts";
import { insertCredential, newKey, service, sessionHeaders, type World, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const running = service();
const pathOf = ({ workspaceId }: Pick<World, "workspaceId">) => `/workspaces/${workspaceId}`;
const unique = (text: string) => `${text}-${newId().slice(-12)}`;

describe("changing", () => {
  test("a manager changes the name, and then the slug, from whichever Workspace the session is in", async () => {
    const [place, other] = [await world(running), await world(running)];
    await joinWorkspace(running, other.workspaceId, place.owner.userId);
    const elsewhere = await sessionIn(running, other.workspaceId, place.owner.userId);
    const renamed = await place.owner.call("PATCH", pathOf(place), { body: { name: "Renamed" }, ifMatch: "1" });
    expect(renamed.body).toMatchObject({ name: "Renamed", revision: "2", role: "owner" });
    expect(renamed.body.capabilities).toContain("workspace:archive");
    expect(renamed.trips).toBeLessThanOrEqual(5);
    const slug = unique("moved");
    const moved = await elsewhere.call("PATCH", pathOf(place), { body: { slug }, ifMatch: "2" });
    expect(moved.body).toMatchObject({ name: "Renamed", slug, revision: "3" });
    const admin = await place.member("admin");
    const again = await admin.call("PATCH", pathOf(place), { body: { name: "Again" }, ifMatch: "3" });
    expect(again.body).toMatchObject({ name: "Again", role: "admin", revision: "4" });
    expect((await admin.call("GET", pathOf(place))).body).toEqual(again.body);
    expect(await eventsOf(running, place, place.workspaceId)).toMatchObject([
      { type: "workspace.updated", activity: null, payload: { fields: ["name"] } },
      { type: "workspace.updated", payload: { fields: ["slug"] } },
      { type: "workspace.updated", payload: { fields: ["name"] } },
    ]);
  });

  test("exactly one of name, slug and archived; archived true is refused", async () => {
    const { owner, ...place } = await world(running);
    for (const [body, pointer] of [
      [{}, "/body"],
      [{ name: "A", slug: unique("a") }, "/body"],
      [{ name: "A", archived: false }, "/body"],
      [{ slug: unique("a"), archived: false }, "/body"],
      [{ archived: true }, "/body/archived"],
      [{ archived: null }, "/body/archived"],
      [{ name: null }, "/body/name"],
      [{ name: "" }, "/body/name"],
      [{ name: "x".repeat(101) }, "/body/name"],
      [{ slug: "x".repeat(49) }, "/body/slug"],
      [{ slug: "-a" }, "/body/slug"],
      [{ plan: "team" }, "/body/plan"],
    ] as const) {
      const answer = await owner.call("PATCH", pathOf(place), { body, ifMatch: "1" });
      expect([answer.status, answer.body.errors[0].pointer], JSON.stringify(body)).toEqual([400, pointer]);
    }
    for (const body of [{ name: "x".repeat(100) }, { slug: unique("x").padEnd(48, "x") }]) {
      const { revision } = (await owner.call("GET", pathOf(place))).body;
      expect((await owner.call("PATCH", pathOf(place), { body, ifMatch: revision })).body).toMatchObject(body);
    }
  });

  test("a taken or reserved slug is refused, also under a race, and nothing changes", async () => {
    const [place, other] = [await world(running), await world(running)];
    const { slug } = (await other.owner.call("GET", pathOf(other))).body;
    for (const taken of [slug, "api", "settings"]) {
      const answer = await place.owner.call("PATCH", pathOf(place), { body: { slug: taken }, ifMatch: "1" });
      expect(answer.body).toMatchObject({ code: "slug_taken", errors: [{ pointer: "/body/slug" }] });
    }
    const wanted = unique("wanted");
    const places = [place, other, await world(running), await world(running)];
    const answers = await Promise.all(
      places.map((each) => each.owner.call("PATCH", pathOf(each), { body: { slug: wanted }, ifMatch: "1" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    for (const { status, body } of answers) if (status !== 200) expect(body.code).toBe("slug_taken");
  });

  test("the revision decides: a stale one is refused, and of many at once one wins", async () => {
    const { owner, ...place } = await world(running);
    const rename = (name: string, ifMatch?: string) => owner.call("PATCH", pathOf(place), { body: { name }, ifMatch });
    expect((await rename("A")).body.code).toBe("if_match_required");
    expect((await rename("A", "7")).body).toMatchObject({ code: "revision_conflict", current_revision: "1" });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => rename(`Name ${n}`, "1")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await owner.call("GET", pathOf(place))).body.revision).toBe("2");
  });

  test("members and viewers are refused, and for strangers and former members it does not exist", async () => {
    const [place, other] = [await world(running), await world(running)];
    const change = { body: { name: "Mine" }, ifMatch: "1" };
    for (const role of ["member", "viewer"] as const) {
      const { call } = await place.member(role);
      expect((await call("PATCH", pathOf(place), change)).status).toBe(403);
      expect((await call("DELETE", pathOf(place))).status).toBe(403);
    }
    expect((await other.owner.call("PATCH", pathOf(place), change)).status).toBe(404);
    for (const state of ["suspended", "removed", "left"]) {
      const { call, userId } = await place.member("owner");
      await running.sql("update memberships set state = $2 where user_id = $1", [userId, state]);
      expect((await call("PATCH", pathOf(place), change)).status, state).toBe(404);
      expect((await call("DELETE", pathOf(place))).status, state).toBe(404);
    }
    const bearer = await place.token();
    for (const [method, options] of [
      ["PATCH", change],
      ["DELETE", {}],
    ] as const)
      expect((await place.owner.bearer(bearer, method, pathOf(place), options)).body.code).toBe(
        "credential_kind_not_allowed",
      );
  });
});

describe("from a native client", () => {
  const nativeOf = async (userId: string) => {
    const token = newSecret("nat");
    await insertCredential(running, "native", token, userId, null, []);
    return (method: string, path: string, options = {}) =>
      running.send(method, path, { ...options, headers: { authorization: `Bearer ${token}` } });
  };

  test("creates the one Free Workspace, without cookies, and names it in the next request", async () => {
    const place = await world(running);
    const { userId } = await place.member("member");
    const call = await nativeOf(userId);
    const answer = await call("POST", "/mobile/workspaces", { body: { name: unique("Pocket") }, key: newKey() });
    expect([answer.status, answer.cookies, answer.body.role]).toEqual([201, [], "owner"]);
    expect((await call("GET", `/workspaces/${answer.body.id}/settings`)).status).toBe(200);
    const again = await call("POST", "/mobile/workspaces", { body: { name: "Another" } });
    expect([again.status, again.body.code]).toEqual([409, "free_workspace_claimed"]);
    const slug = await call("POST", "/mobile/workspaces", { body: { name: "Another", slug: "api" } });
    expect(slug.body.code).toBe("slug_taken");
  });

  test("bootstraps an account without memberships, and no other", async () => {
    const place = await world(running);
    const { userId } = await place.member("member");
    const call = await nativeOf(userId);
    const bootstrap = () =>
      call("POST", "/mobile/workspaces/bootstrap", { body: { name: "First", slug: unique("f") } });
    expect((await bootstrap()).body.code).toBe("workspace_exists");
    await running.sql("update memberships set state = 'left' where user_id = $1", [userId]);
    const answers = await Promise.all([bootstrap(), bootstrap(), bootstrap()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.flatMap(({ cookies }) => cookies)).toEqual([]);
    expect((await call("POST", "/mobile/workspaces/bootstrap", { body: { name: "First" } })).status).toBe(400);
  });

  test("a browser session is none of its credentials", async () => {
    const { owner } = await world(running);
    for (const path of ["/mobile/workspaces", "/mobile/workspaces/bootstrap"]) {
      const answer = await running.send("POST", path, {
        body: { name: "N", slug: unique("n") },
        headers: sessionHeaders(owner.session),
      });
      expect([answer.status, answer.body.code]).toEqual([403, "credential_kind_not_allowed"]);
    }
  });
});
