// The shared defaults of a Workspace: those that hold before anything was decided, who changes them, and who reads
// them.
import { expect, test } from "vitest";
import { newProject } from "../../../test/work.ts";
import { insertCredential, newKey, service, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";

const running = service();
const pathOf = ({ workspaceId }: { workspaceId: string }) => `/workspaces/${workspaceId}/settings`;

test("before anything is decided the defaults hold at revision zero, also for a native client", async () => {
  const place = await world(running);
  const answer = await place.owner.call("GET", pathOf(place));
  expect([answer.trips, answer.headers.get("etag")]).toEqual([1, '"0"']);
  expect(answer.body).toEqual({
    workspace_id: place.workspaceId,
    revision: "0",
    updated_at: null,
    timezone: "UTC",
    locale: "en",
    week_start: "monday",
    default_project_visibility: "workspace",
    capabilities: ["workspace:manage"],
  });
  const native = newSecret("nat");
  await insertCredential(running, "native", native, place.owner.userId, null, []);
  // A native client reads them and cannot change them.
  const told = (await place.owner.bearer(native, "GET", pathOf(place))).body;
  expect(told).toEqual({ ...answer.body, capabilities: [] });
  const change = { body: { locale: "de" }, ifMatch: "0" };
  expect((await place.owner.bearer(native, "PATCH", pathOf(place), change)).status).toBe(403);
});

test("what is left out stays, and spellings are made canonical", async () => {
  const place = await world(running);
  const first = await place.owner.call("PATCH", pathOf(place), { body: { locale: "de-ch" }, ifMatch: "0" });
  expect(first.body).toMatchObject({ revision: "1", locale: "de-CH", timezone: "UTC", week_start: "monday" });
  expect(first.trips).toBeLessThanOrEqual(5);
  const body = { timezone: "Europe/Zurich", week_start: "saturday", default_project_visibility: "private" };
  const second = await place.owner.call("PATCH", pathOf(place), { body, ifMatch: "1" });
  expect(second.body).toMatchObject({ revision: "2", locale: "de-CH", ...body });
  expect((await place.owner.call("GET", pathOf(place))).body).toEqual(second.body);
});

test("a change needs the current revision, and something to change", async () => {
  const place = await world(running);
  const change = (body: object, ifMatch?: string) => place.owner.call("PATCH", pathOf(place), { body, ifMatch });
  expect((await change({ locale: "de" })).body.code).toBe("if_match_required");
  expect((await change({ locale: "de" }, "1")).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "0",
  });
  for (const [body, pointer] of [
    [{}, "/body"],
    [{ timezone: "Mars/Olympus" }, "/body/timezone"],
    [{ locale: "not a language" }, "/body/locale"],
    [{ week_start: "tuesday" }, "/body/week_start"],
    [{ default_project_visibility: "public" }, "/body/default_project_visibility"],
  ] as const) {
    const answer = await change(body, "0");
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
  }
  expect((await place.owner.call("GET", pathOf(place))).body.revision).toBe("0");
});

test("of many who decide first, one succeeds and nothing of it is lost", async () => {
  const place = await world(running);
  const answers = await Promise.all(
    ["de", "fr", "it", "es", "pt", "nl"].map((locale) =>
      place.owner.call("PATCH", pathOf(place), { body: { locale }, ifMatch: "0", key: newKey() }),
    ),
  );
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  for (const { status, body } of answers)
    if (status !== 200) expect(body).toMatchObject({ code: "revision_conflict", current_revision: "1" });
  expect((await place.owner.call("GET", pathOf(place))).body.locale).toBe(won[0]?.body.locale);
});

test("everybody in the Workspace reads them, owners and admins change them, and for others they do not exist", async () => {
  const [place, other] = [await world(running), await world(running)];
  for (const [role, status] of [
    ["admin", 200],
    ["member", 403],
    ["viewer", 403],
  ] as const) {
    const person = await place.member(role);
    const read = await person.call("GET", pathOf(place));
    expect([read.status, read.body.capabilities]).toEqual([200, role === "admin" ? ["workspace:manage"] : []]);
    const change = { body: { locale: "de" }, ifMatch: "0" };
    expect((await person.call("PATCH", pathOf(place), change)).status).toBe(status);
  }
  expect((await other.owner.call("GET", pathOf(place))).status).toBe(404);
  expect((await other.owner.call("PATCH", pathOf(place), { body: { locale: "de" }, ifMatch: "1" })).status).toBe(404);
});

test("a Project that does not say its visibility has the one that the Workspace has chosen", async () => {
  const place = await world(running);
  expect((await newProject(place)).visibility).toBe("workspace");
  const body = { default_project_visibility: "private" };
  await place.owner.call("PATCH", pathOf(place), { body, ifMatch: "0" });
  expect((await newProject(place)).visibility).toBe("private");
  expect((await newProject(place, { visibility: "workspace" })).visibility).toBe("workspace");
});
