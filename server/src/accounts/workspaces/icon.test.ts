// The icon of a Workspace: who sets it, who sees it, and that no object is left behind. What a picture may be is the
// profile picture's test.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, expect, test } from "vitest";
import { overlapping } from "../../../test/overlap.ts";
import { picture, smallPicture } from "../../../test/pictures.ts";
import { eventsOf, joinWorkspace } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import type { ExternalSystems } from "../../platform/outside/external-systems.ts";
import { workspaceJobs } from "./jobs.ts";

const dataDir = mkdtempSync(join(tmpdir(), "svc-icons-"));
const running = service({ dataDir });
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const MiB = 1024 * 1024;

const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/icon`;
const post = async (place: World, person: Person = place.owner, raw?: Buffer, more: object = {}) =>
  person.call("POST", pathOf(place), {
    raw: raw ?? (await smallPicture()),
    headers: { "content-type": "image/png" },
    ...more,
  });
const workspaceOf = async (place: World) => (await place.owner.call("GET", `/workspaces/${place.workspaceId}`)).body;
const keyOf = async ({ workspaceId }: World) =>
  (await running.sql<{ icon_key: string | null }>("select icon_key from workspaces where id = $1", [workspaceId]))[0]
    ?.icon_key as string;
const objects = () =>
  readdirSync(join(dataDir, "objects"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;
/** What the queue would do with an object. */
async function discard({ workspaceId }: World, key: string): Promise<string[]> {
  const deleted: string[] = [];
  const storage = { delete: async (name: string) => void deleted.push(name) };
  const { discard_icon } = workspaceJobs(running.database, { storage } as unknown as ExternalSystems);
  await (discard_icon as (payload: object, help: object) => Promise<void>)({ workspace_id: workspaceId, key }, {});
  return deleted;
}

test("a manager sets it: a square, shown by a redirect to everybody who belongs to the Workspace, and the Workspace says so", async () => {
  const place = await world(running);
  expect((await workspaceOf(place)).has_icon).toBe(false);
  const answer = await post(place, place.owner, await picture("png", 300, 120));
  expect(answer.status, answer.text).toBe(200);
  expect(answer.trips).toBeLessThanOrEqual(5);
  expect(answer.body).toMatchObject({ content_type: "image/webp", width: 512, height: 512 });
  expect(await workspaceOf(place)).toMatchObject({ has_icon: true, revision: "2" });
  const shown = await (await place.member("viewer")).call("GET", `${pathOf(place)}/content`);
  expect([shown.status, shown.trips <= 2]).toEqual([302, true]);
  const location = (shown.headers.get("location") as string).replace("localhost", "127.0.0.1");
  expect(location).toContain("/storage/icons/");
  const stored = await fetch(location);
  expect([stored.status, stored.headers.get("content-type")]).toEqual([200, "image/webp"]);
  const bytes = Buffer.from(await stored.arrayBuffer());
  expect(bytes).toHaveLength(answer.body.size);
  expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width: 512, height: 512 });
  expect((await eventsOf(running, place, place.workspaceId)).map(({ type }) => type)).toEqual([
    "workspace.icon_replaced",
  ]);
});

test("it is seen and set from a session in another Workspace, because it belongs to the Workspace itself", async () => {
  const [place, other] = [await world(running), await world(running)];
  await joinWorkspace(running, place.workspaceId, other.owner.userId, "admin");
  expect((await post(place, other.owner)).status).toBe(200);
  expect((await other.owner.call("GET", `${pathOf(place)}/content`)).status).toBe(302);
});

test("a new one takes the place of the old, whose object is deleted; removing it twice is no fault", async () => {
  const place = await world(running);
  const before = objects();
  await post(place);
  const first = await keyOf(place);
  await post(place);
  const second = await keyOf(place);
  expect(second).not.toBe(first);
  expect(objects()).toBe(before + 2);
  expect(await discard(place, first)).toEqual([first]);
  expect(await discard(place, second), "it is in use").toEqual([]);
  const [removed, again] = [
    await place.owner.call("DELETE", pathOf(place)),
    await place.owner.call("DELETE", pathOf(place)),
  ];
  expect([removed.status, again.status]).toEqual([204, 204]);
  expect(await discard(place, second)).toEqual([second]);
  expect(await workspaceOf(place)).toMatchObject({ has_icon: false, revision: "4" });
  expect((await place.owner.call("GET", `${pathOf(place)}/content`)).status).toBe(404);
  expect((await eventsOf(running, place, place.workspaceId)).map(({ type }) => type)).toEqual([
    "workspace.icon_replaced",
    "workspace.icon_replaced",
    "workspace.icon_removed",
  ]);
});

test("what is no picture, too large or of another type is refused, and leaves what was there", async () => {
  const place = await world(running);
  await post(place);
  const [kept, stored] = [await keyOf(place), objects()];
  for (const [raw, type, code] of [
    [Buffer.from("no picture"), "image/png", "invalid_picture"],
    [Buffer.alloc(5 * MiB), "image/png", "invalid_picture"],
    [Buffer.alloc(5 * MiB + 1), "image/png", "payload_too_large"],
    [Buffer.from("<svg/>"), "image/svg+xml", "unsupported_media_type"],
  ] as const)
    expect((await post(place, place.owner, raw, { headers: { "content-type": type } })).body.code).toBe(code);
  expect([await keyOf(place), objects()]).toEqual([kept, stored]);
});

test("members and viewers do not set it, and for strangers the Workspace does not exist", async () => {
  const [place, other] = [await world(running), await world(running)];
  for (const role of ["member", "viewer"] as const) {
    const person = await place.member(role);
    expect((await post(place, person)).status).toBe(403);
    expect((await person.call("DELETE", pathOf(place))).status).toBe(403);
  }
  expect((await post(place, other.owner)).status).toBe(404);
  expect((await other.owner.call("DELETE", pathOf(place))).status).toBe(404);
  expect((await other.owner.call("GET", `${pathOf(place)}/content`)).status).toBe(404);
  expect(await keyOf(place)).toBeNull();
});

test("whoever stops managing while the picture is made harmless does not set it", async () => {
  const place = await world(running);
  for (const [change, code] of [
    ["role = 'member'", "forbidden"],
    ["state = 'removed'", "not_found"],
  ] as const) {
    const admin = await place.member("admin");
    const demote = `update memberships set ${change} where user_id = $1`;
    const answer = await overlapping(running, [demote, admin.userId], 1, () => post(place, admin));
    expect(answer.body.code).toBe(code);
  }
  expect(await keyOf(place)).toBeNull();
});

test("a repeated key answers alike and stores nothing more", async () => {
  const place = await world(running);
  const key = newKey();
  const [raw, before] = [await smallPicture(), objects()];
  const [first, second] = [await post(place, place.owner, raw, { key }), await post(place, place.owner, raw, { key })];
  expect([second.status, second.text]).toEqual([200, first.text]);
  expect(objects()).toBe(before + 1);
});
