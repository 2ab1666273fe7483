// The connection to the knowledge repository: who makes and changes it, what it takes, and what it never shows.
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { overlapping, waitingIn } from "../../../test/overlap.ts";
import { resolvedHosts, resolvingService, silentHost } from "../../../test/resolving.ts";
import { service, type World, world } from "../../../test/world.ts";
import { secretBox } from "../../platform/wire/secret-box.ts";

const running = service();
const at = ({ workspaceId }: World) => `/workspaces/${workspaceId}/knowledge-repository`;
const url = "https://git.example.com/team/handbook.git";

test("until somebody connects one there is none, and then it shows everything but the credential", async () => {
  const place = await world(running);
  const { owner } = place;
  expect((await owner.call("GET", at(place))).body).toMatchObject({ state: "disconnected", revision: "0", url: null });
  const made = await owner.call("PUT", at(place), { body: { url, credential: "very-secret" } });
  expect(made.body).toMatchObject({
    state: "active",
    branch: "main",
    folder: "",
    direction: "both",
    has_credential: true,
  });
  expect(made.text).not.toContain("very-secret");
  expect((await owner.call("PUT", at(place), { body: { url, credential: "very-secret" } })).body.revision).toBe("1");
  expect((await owner.call("PUT", at(place), { body: { url, credential: "another" } })).body.revision).toBe("2");
});

test("a credential whose key was lost and retired is given up: the connection is shown, changed, and takes another one", async () => {
  const place = await world(running);
  const { owner } = place;
  await owner.call("PUT", at(place), { body: { url, credential: "very-secret" } });
  const lost = secretBox([{ id: "lost", key: randomBytes(32) }]).seal("it", "somewhere");
  await running.sql("update knowledge_repositories set sealed_credential = $2 where workspace_id = $1", [
    place.workspaceId,
    lost,
  ]);
  expect((await owner.call("GET", at(place))).status).toBe(200);
  const paused = await owner.call("PATCH", at(place), { body: { state: "paused" }, ifMatch: "1" });
  expect(paused.body).toMatchObject({ state: "paused" });
  const again = await owner.call("PUT", at(place), { body: { url, credential: "another" } });
  expect(again.body).toMatchObject({ state: "active", has_credential: true });
});

test("only those who manage all Documents reach it", async () => {
  const [place, other] = [await world(running), await world(running)];
  const [admin, member, viewer] = await Promise.all((["admin", "member", "viewer"] as const).map(place.member));
  for (const [person, status] of [
    [admin, 200],
    [member, 403],
    [viewer, 403],
    [other.owner, 404],
  ] as const) {
    expect((await person?.call("GET", at(place)))?.status).toBe(status);
    expect((await person?.call("PUT", at(place), { body: { url } }))?.status).toBe(status);
  }
});

test("addresses with a credential or without a path, and names that lead elsewhere, are refused", async () => {
  const place = await world(running);
  for (const wrong of [
    ...[
      "https://me:token@git.example.com/a.git",
      "ssh://git.example.com/a",
      "https://git.example.com",
      "file:///etc/a",
    ].map((url) => ({ url })),
    ...["../x", "a..b", "/a", "a/", "-x", "a b", ""].map((branch) => ({ url, branch })),
    ...["..", "a/../b", ".git", "/a", "a/", "a\\b"].map((folder) => ({ url, folder })),
  ])
    expect((await place.owner.call("PUT", at(place), { body: wrong })).status, JSON.stringify(wrong)).toBe(400);
});

describe("an address that would be refused at each sync", () => {
  const allowing = service({ gitAllow: ["http://127.0.0.1:3000"] });
  const inside = ["http://127.0.0.1:3000/team/a.git", "https://10.0.0.8/a.git", "https://localhost/a.git"];
  const more = ["http://git.example.com/a.git", "https://git.internal/a.git", "https://[::1]/a.git"];

  test("is refused when it is connected, unless GIT_ALLOW names its origin", async () => {
    for (const here of [running, allowing]) {
      const place = await world(here);
      for (const wrong of [...inside, ...more].filter((each) => here === running || each !== inside[0])) {
        const { status, body } = await place.owner.call("PUT", at(place), { body: { url: wrong } });
        expect([status, body.code, body.errors], wrong).toMatchObject([
          400,
          "invalid_request",
          [{ pointer: "/body/url", code: "address_refused" }],
        ]);
      }
    }
    const place = await world(allowing);
    expect((await place.owner.call("PUT", at(place), { body: { url: inside[0] } })).status).toBe(200);
  });

  const resolving = resolvingService();
  test.each([...resolvedHosts, silentHost])("is refused for what its name leads to: %s, %s", async (host, refused) => {
    const place = await world(resolving);
    const answer = await place.owner.call("PUT", at(place), { body: { url: `https://${host}/team/a.git` } });
    expect([answer.status, answer.body.errors?.[0].code], answer.text).toEqual(
      refused ? [400, "address_refused"] : [200, undefined],
    );
  });
});

test("the revision decides, and what is disconnected is not changed", async () => {
  const place = await world(running);
  const patch = (body: object, ifMatch: string) => place.owner.call("PATCH", at(place), { body, ifMatch });
  expect((await patch({ state: "paused" }, "0")).body.code).toBe("repository_inactive");
  await place.owner.call("PUT", at(place), { body: { url } });
  expect((await patch({ state: "paused" }, "7")).body.code).toBe("revision_conflict");
  expect((await patch({ state: "paused" }, "1")).body).toMatchObject({ state: "paused", revision: "2" });
  expect((await patch({ state: "paused" }, "2")).body.revision).toBe("2");
  const hold = "select from knowledge_repositories where workspace_id = $1 for update";
  const answers = await overlapping(
    running,
    [hold, place.workspaceId],
    2,
    () => Promise.all(["in", "out"].map((direction) => patch({ direction }, "2"))),
    place.workspaceId,
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const direction = answers.find(({ status }) => status === 200)?.body.direction === "in" ? "out" : "in";
  const [changed, disconnected] = await overlapping(
    running,
    [hold, place.workspaceId],
    2,
    async () => {
      const first = patch({ direction }, "3");
      await eventually(async () => expect(await waitingIn(running)).toBe(1));
      return Promise.all([first, patch({ state: "disconnected" }, "3")]);
    },
    place.workspaceId,
  );
  expect([changed.status, disconnected.status]).toEqual([200, 409]);
});
