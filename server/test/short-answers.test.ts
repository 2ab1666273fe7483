// What a caller asks about the answer: a revision without quotes, 304 for what it has, and no body where it wants none.
import { expect, test } from "vitest";
import { newProject, newTask } from "./work.ts";
import { newKey, service, world } from "./world.ts";

const running = service();

test("a revision without quotes is the same revision; a stale one is still refused, and a weak one always", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  const write = (title: string, ifMatch: string) =>
    home.owner.call("PATCH", `/tasks/${task.id}`, { body: { title }, headers: { "if-match": ifMatch } });
  expect((await write("One", "1")).body).toMatchObject({ title: "One", revision: "2" });
  expect((await write("Two", "1")).body).toMatchObject({ code: "revision_conflict", current_revision: "2" });
  for (const wrong of ['W/"2"', "W/2", '"2', "2, 3", "two"]) {
    const refused = await write("Two", wrong);
    expect([refused.status, refused.body.errors?.[0].pointer], wrong).toEqual([400, "/headers/if-match"]);
  }
  const racing = await Promise.all(Array.from({ length: 6 }, (_, n) => write(`Racing ${n}`, n % 2 ? "2" : '"2"')));
  expect(racing.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
});

test("304 has the ETag and no body, costs the same authorisation, and ends with the next change", async () => {
  const home = await world(running);
  const path = `/workspaces/${home.workspaceId}/project-display-preferences`;
  const { etag: _, ...first } = { etag: "", ...(await home.owner.call("GET", path)).body };
  const read = (tag: string, person = home.owner) => person.call("GET", path, { headers: { "if-none-match": tag } });
  const known = await read('"0"');
  expect([known.status, known.text, known.headers.get("etag"), known.headers.get("content-length")]).toEqual([
    304,
    "",
    '"0"',
    null,
  ]);
  expect(known.headers.get("content-type")).toBeNull();
  const { revision, updated_at, ...display } = first;
  const body = { ...display, show_archived: !display.show_archived };
  expect([revision, updated_at]).toEqual(["0", null]);
  expect((await home.owner.call("PUT", path, { body, ifMatch: "0" })).body.revision).toBe("1");
  expect([(await read('"0"')).status, (await read('"1"')).status, (await read("nonsense")).status]).toEqual([
    200, 304, 200,
  ]);
  const stranger = await world(running);
  expect((await read('"1"', stranger.owner)).status).toBe(404);
  expect((await running.send("GET", path, { headers: { "if-none-match": "*" } })).status).toBe(401);
});

test("what changes without its revision is always answered in full", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  for (const path of ["/me", `/tasks/${task.id}`, `/projects/${project.id}`, `/tasks/${task.id}/subscription`]) {
    const { headers } = await home.owner.call("GET", path);
    const again = await home.owner.call("GET", path, { headers: { "if-none-match": headers.get("etag") ?? "" } });
    expect([again.status, again.text.length > 2], path).toEqual([200, true]);
  }
});

test("return=minimal: 204 with ETag, Location and command, and the retry without it gets the whole answer", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [path, key, body] = [`/projects/${project.id}/tasks`, newKey(), { title: "Brief" }];
  const headers = { prefer: "return=minimal" };
  const brief = await home.owner.call("POST", path, { body, key, headers });
  expect([brief.status, brief.text]).toEqual([204, ""]);
  const told = (answer: typeof brief) =>
    ["etag", "location", "x-svc-command-id"].map((name) => answer.headers.get(name));
  expect([brief.headers.get("preference-applied"), brief.headers.get("etag")]).toEqual(["return=minimal", '"1"']);
  const seen = await home.owner.call("GET", brief.headers.get("location") ?? "");
  expect(seen.body.title).toBe("Brief");
  const whole = await home.owner.call("POST", path, { body, key });
  expect([whole.status, whole.body.id, whole.headers.get("idempotent-replayed")]).toEqual([201, seen.body.id, "true"]);
  expect(told(whole)).toEqual(told(brief));
  const again = await home.owner.call("POST", path, { body, key, headers });
  expect([again.status, again.text, told(again)]).toEqual([204, "", told(brief)]);
});

test("a refusal is a problem whatever is preferred, and a secret that is shown once is shown", async () => {
  const home = await world(running);
  const headers = { prefer: "return=minimal" };
  const refused = await home.owner.call("POST", `/projects/${home.workspaceId}/tasks`, {
    body: { title: "Lost" },
    key: newKey(),
    headers,
  });
  expect([refused.status, refused.body.code]).toEqual([404, "not_found"]);
  const token = await home.owner.call("POST", "/me/api-tokens", {
    body: { name: "script", scopes: ["svc:read"] },
    headers,
  });
  expect([token.status, token.headers.get("preference-applied")]).toEqual([201, null]);
  expect(token.body.token).toMatch(/^svc_pat_/);
  expect(token.headers.get("location")).toBe(`/api/v1/me/api-tokens/${token.body.id}`);
});
