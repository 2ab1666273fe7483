// Error tracker requests: each needs a signature over the whole request, only bound Projects are offered, and an error
// has one Task however often it is requested.
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  PLANTED_SECRET,
  plantBinding,
  plantResource,
  plantTracker,
  signedRequest,
} from "../../../test/integrations.ts";
import { newProject, newTask, refusalOf, trashTask } from "../../../test/work.ts";
import { service, testKeys, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { secretBox } from "../../platform/wire/secret-box.ts";
import { newWebhookSecret } from "../../platform/wire/standard-webhooks.ts";
import { signingRow } from "./rules.ts";

const running = service();
const AT = "/integrations/errtrack";
const JSON_TYPE = { "content-type": "application/json" };

async function at() {
  const home = await world(running);
  const project = await newProject(home);
  const tracker = await plantTracker(running, home.workspaceId, home.owner.actorId, project.id);
  return { home, owner: home.owner, project, tracker };
}
type At = Awaited<ReturnType<typeof at>>;
const SUBSCRIBE = "update integration_subscriptions set enabled = $2 where binding_id = $1";
const change = ({ home }: At, sql: string, ...values: unknown[]) => running.sql(sql, values, home.workspaceId);

type Sign = (line: string, body: string) => Record<string, string>;
const bySentry =
  (secret: string): Sign =>
  (_line, body) => ({ "sentry-app-signature": createHmac("sha256", secret).update(body).digest("hex") });
const ask = (path: string, sign: Sign = signedRequest) =>
  running.send("GET", `${AT}${path}`, { headers: sign(`GET /api/v1${AT}${path}`, "") });
const post = (path: string, body: unknown, sign: Sign = signedRequest) => {
  const raw = JSON.stringify(body);
  return running.send("POST", `${AT}${path}`, {
    raw,
    headers: { ...JSON_TYPE, ...sign(`POST /api/v1${AT}${path}`, raw) },
  });
};
const issue = ({ tracker }: Pick<At, "tracker">, fields: object, more: object = {}) => ({
  ...{ installationId: tracker.id, issueId: 4711, webUrl: "https://errors.example.com/issues/4711/" },
  ...{ project: { id: 7, slug: "shop" }, actor: { type: "user", id: 1, name: "Ada" }, fields, ...more },
});
const create = (place: At, fields: object = {}, more: object = {}, sign?: Sign) =>
  post("/issues/create", issue(place, { title: "It fails", ...fields }, more), sign);
const link = (place: At, task: string, more: object = {}, sign?: Sign) =>
  post("/issues/link", issue(place, { task }, more), sign);
const tasksOf = async ({ owner, project }: At) => (await owner.call("GET", `/projects/${project.id}/tasks`)).body.items;
const entitiesOf = async ({ owner }: At, task: string) =>
  (await owner.call("GET", `/tasks/${task}/rich-entities`)).body.items;

/** The same request by nobody, and for nothing. */
describe("is refused alike", () => {
  const others: Record<string, Sign> = {
    "without a signature": () => ({}),
    "with another secret": (line, body) => signedRequest(line, body, newWebhookSecret()),
    "of another method": (line, body) => signedRequest(line.replace(/^\w+/, "PUT"), body),
    "of another address": (line, body) => signedRequest(line.replace("errtrack", "other"), body),
    "of another query": (line, body) => signedRequest(`${line}&more=1`, body),
    "of another body": (line, body) => signedRequest(line, `${body} `),
    "six minutes old": (line, body) =>
      signedRequest(line, body, PLANTED_SECRET, newId(), new Date(Date.now() - 6 * 60_000)),
    "six minutes ahead": (line, body) =>
      signedRequest(line, body, PLANTED_SECRET, newId(), new Date(Date.now() + 6 * 60_000)),
    "with another id than was signed": (line, body) => ({ ...signedRequest(line, body), "webhook-id": newId() }),
    "as Sentry signs": bySentry(PLANTED_SECRET),
  };
  const calls = (place: At, sign?: Sign) => [
    ask(`/options/bindings?installationId=${place.tracker.id}`, sign),
    ask(`/options/tasks?installationId=${place.tracker.id}&projectSlug=7`, sign),
    create(place, {}, {}, sign),
    link(place, newId(), {}, sign),
    post("/alert-action", { installationId: place.tracker.id, fields: [] }, sign),
  ];
  const REFUSED = [404, "not_found"];
  const told = async (answers: Promise<{ status: number; body: { code?: string; errors?: unknown } }>[]) =>
    (await Promise.all(answers)).map(({ status, body }) => [status, body.code]);

  test("what is not signed by the installation, all of it and now", async () => {
    const place = await at();
    expect((await create(place)).status).toBe(200);
    for (const [how, sign] of Object.entries(others))
      expect(await told(calls(place, sign)), how).toEqual(Array(5).fill(REFUSED));
    expect(await tasksOf(place)).toHaveLength(1);
  });

  test("what is for an installation that is unknown, removed or revoked, of another provider, or in an archived Workspace", async () => {
    const unknown = await at();
    const place = { ...unknown, tracker: { ...unknown.tracker, id: newId() } };
    expect(await told(calls(place))).toEqual(Array(5).fill(REFUSED));
    for (const sql of [
      "update integration_installations set removed_at = now() where id = $1",
      "update integration_installations set state = 'revoked' where id = $1",
      "update integration_installations set provider_key = 'webhook' where id = $1",
      "update integration_installations set sealed_secret = null where id = $1",
    ]) {
      const gone = await at();
      await change(gone, sql, gone.tracker.id);
      expect(await told(calls(gone)), sql).toEqual(Array(5).fill(REFUSED));
    }
    const archived = await at();
    await running.asOwner("update workspaces set archived_at = now() where id = $1", [archived.home.workspaceId]);
    expect(await told(calls(archived))).toEqual(Array(5).fill(REFUSED));
  });

  test("word for word", async () => {
    const place = await at();
    const words = ({ text }: { text: string }) => text.replace(/"correlation_id":"[^"]+"/, "");
    const forged = await create(place, {}, {}, others["with another secret"]);
    const unknown = await create(place, {}, { installationId: newId() });
    expect(words(forged)).toBe(words(unknown));
  });
});

describe("choices", () => {
  test("are bindings of the installation, which take notice of errors, of Projects that are not archived", async () => {
    const place = await at();
    const { home, tracker, project } = place;
    const elsewhere = await plantResource(running, home.workspaceId, tracker.id, "8");
    const more = [await newProject(home), await newProject(home), await newProject(home)];
    for (const [index, { id }] of more.entries())
      await plantBinding(running, home.workspaceId, home.owner.actorId, {
        ...{ installationId: tracker.id, projectId: id, resourceId: index === 0 ? elsewhere.id : tracker.resourceId },
        kinds: index === 1 ? ["task_completed"] : ["error"],
      });
    await change(place, "update projects set archived_at = now() where id = $1", more[2]?.id);
    const all = await ask(`/options/bindings?installationId=${tracker.id}&dependentData=%7B%7D`);
    const label = ({ key, name }: { key: string; name: string }) => `${key} · ${name}`;
    expect(all.body.map((each: { label: string }) => each.label)).toEqual([label(project), label(more[0])]);
    const one = await ask(`/options/bindings?installationId=${tracker.id}&projectSlug=7`);
    expect(one.body).toEqual([{ value: tracker.bindingId, label: label(project) }]);
    expect((await ask(`/options/bindings?installationId=${tracker.id}&projectSlug=9`)).body).toEqual([]);
    await change(place, SUBSCRIBE, tracker.bindingId, false);
    expect((await ask(`/options/bindings?installationId=${tracker.id}&projectSlug=7`)).body).toEqual([]);
  });

  test("are Tasks of bound Projects, twenty at most, by words and by code", async () => {
    const place = await at();
    const { home, owner, tracker, project } = place;
    const hidden = await newProject(home, { visibility: "private" });
    const secret = await newTask(owner, hidden.id, { title: "Zebra elsewhere" });
    for (let made = 0; made < 21; made++) await newTask(owner, project.id, { title: `Task ${made}` });
    const last = await newTask(owner, project.id, { title: "Zebra here" });
    const path = `/options/tasks?installationId=${tracker.id}&projectSlug=7`;
    const near = (await ask(path)).body;
    expect(near).toHaveLength(20);
    expect(near[0]).toEqual({ value: last.id, label: `${last.code} · Zebra here` });
    expect((await ask(`${path}&query=${last.code}`)).body).toEqual([near[0]]);
    expect((await ask(`${path}&query=${secret.code}`)).body).toEqual([]);
    expect((await ask(`/options/tasks?installationId=${tracker.id}&projectSlug=8`)).body).toEqual([]);
    expect((await ask(`/options/tasks?installationId=${tracker.id}`)).status).toBe(400);
  });
});

describe("a Task is made of an error", () => {
  test("as the installation, with the error at it; asked again and again it is the same", async () => {
    const place = await at();
    const { owner, tracker, project } = place;
    const id = newId();
    const sign: Sign = (line, body) => signedRequest(line, body, PLANTED_SECRET, id);
    const first = await create(place, { description: "Ask @ada" }, {}, sign);
    const [task] = await tasksOf(place);
    const { slug } = (await owner.call("GET", `/workspaces/${place.home.workspaceId}`)).body;
    expect([first.status, first.body]).toEqual([
      200,
      {
        ...{ task_id: task.id, project: project.key, identifier: String(task.number) },
        webUrl: `${running.url}/workspaces/${slug}/tasks/${task.code}`,
      },
    ]);
    expect(task).toMatchObject({ title: "It fails", created_by_actor_id: tracker.actorId });
    const whole = (await owner.call("GET", `/tasks/${task.id}`)).body;
    expect(whole.description_markdown).toBe("Ask @\u200bada\n\n<https://errors.example.com/issues/4711/>");
    expect(await entitiesOf(place, task.id)).toMatchObject([
      { provider_key: "errtrack", kind: "error", title: "It fails", state: "unresolved", revision: "1" },
    ]);
    expect((await create(place, { description: "Ask @ada" }, {}, sign)).text, "a replay").toBe(first.text);
    expect((await create(place, { title: "Another name" })).text, "another request").toBe(first.text);
    expect(await tasksOf(place)).toHaveLength(1);
    await trashTask(running, place.home, task.id);
    expect((await create(place, { description: "Ask @ada" }, {}, sign)).text, "a replay, later").toBe(first.text);
    expect(await tasksOf(place)).toHaveLength(0);
    const anew = await create(place);
    expect(anew.body.task_id, "asked for anew").not.toBe(task.id);
    expect((await create(place)).text).toBe(anew.text);
    expect(await tasksOf(place)).toHaveLength(1);
  });

  test("and where that was moved elsewhere, another one, but not for the same request", async () => {
    const place = await at();
    const id = newId();
    const sign: Sign = (line, body) => signedRequest(line, body, PLANTED_SECRET, id);
    const first = await create(place, {}, {}, sign);
    const elsewhere = await newProject(place.home);
    const [task] = await tasksOf(place);
    const moved = await place.owner.call("POST", `/tasks/${first.body.task_id}/move`, {
      body: { project_id: elsewhere.id },
      ifMatch: task.revision,
    });
    expect(moved.status, moved.text).toBe(200);
    expect((await create(place, {}, {}, sign)).status).toBe(404);
    expect(await tasksOf(place)).toEqual([]);
    const anew = await create(place);
    expect([anew.status, anew.body.project]).toEqual([200, place.project.key]);
    expect(anew.body.task_id).not.toBe(first.body.task_id);
    expect(await tasksOf(place)).toHaveLength(1);
  });

  test("once, whoever asks at the same time", async () => {
    const place = await at();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => create(place, { title: n % 2 ? "One" : "Other" })),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.task_id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await tasksOf(place)).toHaveLength(1);
  });

  test("in the Project that is chosen, of those that are bound to the project there", async () => {
    const place = await at();
    const { home, owner, tracker } = place;
    const other = await newProject(home);
    const bound = { installationId: tracker.id, resourceId: tracker.resourceId, projectId: other.id, kinds: ["error"] };
    const binding = await plantBinding(running, home.workspaceId, owner.actorId, bound);
    const elsewhere = await at();
    const wrong = [422, "invalid_reference", "/body/fields/binding"];
    const refused = async (fields: object, more?: object) => {
      const { status, body } = await create(place, fields, more);
      return [status, body.code, body.errors?.[0]?.pointer];
    };
    expect(await refused({}), "several").toEqual(wrong);
    expect(await refused({ binding: elsewhere.tracker.bindingId }), "of another Workspace").toEqual(wrong);
    expect(await refused({ binding: newId() }), "of nobody").toEqual(wrong);
    expect(await refused({ binding: binding.id }, { project: { id: 8 } }), "of another project").toEqual(wrong);
    const made = await create(place, { binding: binding.id.toUpperCase() });
    expect([made.status, made.body.project]).toEqual([200, other.key]);
    expect(await tasksOf(elsewhere)).toEqual([]);
  });

  test("not in an archived Project, and not with what a Task cannot have", async () => {
    const place = await at();
    expect((await create(place, { title: "x".repeat(501) })).status).toBe(400);
    expect((await create(place, { description: "x".repeat(20_001) })).status).toBe(400);
    expect((await create(place, {}, { webUrl: "javascript:alert(1)" })).status).toBe(400);
    expect((await create(place, {}, { issueId: "a b" })).status).toBe(400);
    await change(place, "update projects set archived_at = now() where id = $1", place.project.id);
    expect(refusalOf(await create(place))[0]).toBe(409);
    expect((await create(place)).body.code).toBe("project_archived");
    await change(place, "update projects set archived_at = null where id = $1", place.project.id);
    const made = await create(place, { title: "x".repeat(500), description: "x".repeat(20_000) }, { issueId: "A-1" });
    expect(made.status).toBe(200);
  });
});

test("a Task is made and linked in five round-trips, a link that is there in no more", async () => {
  const place = await at();
  const [first, second] = [await newTask(place.owner, place.project.id), await newTask(place.owner, place.project.id)];
  const answers = [
    await create(place),
    await create(place),
    await link(place, first.id, { issueId: 8 }),
    await link(place, first.id, { issueId: 8 }),
    await link(place, second.id, { issueId: 8 }),
  ];
  expect(answers.map(({ status, trips }) => [status, trips <= 5 ? "" : trips])).toEqual(answers.map(() => [200, ""]));
});

describe("an error is linked to a Task", () => {
  test("once, and what is known of it stays", async () => {
    const place = await at();
    const { owner, project } = place;
    const task = await newTask(owner, project.id);
    const first = await link(place, task.id);
    expect([first.status, first.body]).toMatchObject([200, { task_id: task.id, identifier: String(task.number) }]);
    const told = "update rich_entities set title = 'As it is called', changed_at = now() where task_id = $1";
    await change(place, told, task.id);
    expect((await link(place, task.id)).text).toBe(first.text);
    expect(await entitiesOf(place, task.id)).toMatchObject([
      { kind: "error", title: "As it is called", url: "https://errors.example.com/issues/4711/" },
    ]);
    expect((await create(place)).body.task_id, "it has a Task already").toBe(task.id);
    const events = await running.sql<{ actor_id: string }>(
      "select actor_id from domain_events where task_id = $1 and type = 'task.rich_entity.added'",
      [task.id],
      place.home.workspaceId,
    );
    expect(events).toEqual([{ actor_id: place.tracker.actorId }]);
  });

  test("of a Project that is bound to the project there, and no other; what is hidden is as good as missing", async () => {
    const place = await at();
    const { home, owner, project } = place;
    const elsewhere = await at();
    const [unbound, foreign, trashed, fine] = [
      await newTask(owner, (await newProject(home)).id),
      await newTask(elsewhere.owner, elsewhere.project.id),
      await newTask(owner, project.id),
      await newTask(owner, project.id),
    ];
    await trashTask(running, home, trashed.id);
    const words = async (task: string, more?: object) =>
      (await link(place, task, more)).text.replace(/"correlation_id":"[^"]+"/, "");
    const missing = await words(newId());
    expect(missing).toContain("/body/fields/task");
    for (const { id } of [unbound, foreign, trashed]) expect(await words(id)).toBe(missing);
    expect(await words(fine.id, { project: { id: "8" } })).toBe(missing);
    await change(place, SUBSCRIBE, place.tracker.bindingId, false);
    expect(await words(fine.id), "nobody wants to know of errors").toBe(missing);
    await change(place, SUBSCRIBE, place.tracker.bindingId, true);
    await change(place, "update projects set archived_at = now() where id = $1", project.id);
    expect(refusalOf(await link(place, fine.id)).slice(0, 1)).toEqual([409]);
    await change(place, "update projects set archived_at = null where id = $1", project.id);
    expect((await link(place, fine.id)).status).toBe(200);
    for (const { id } of [unbound, trashed])
      expect(await change(place, "select from rich_entities where task_id = $1", id)).toEqual([]);
  });

  test("of 500 things at most", async () => {
    const place = await at();
    const task = await newTask(place.owner, place.project.id);
    const many = `insert into rich_entities (workspace_id, id, task_id, installation_id, provider_key, kind,
      external_id, title, url, state)
      select $1, gen_random_uuid(), $2, $3, 'errtrack', 'error', 'E' || n, 'E', '', 'open'
      from generate_series(1, 499) n`;
    await change(place, many, place.home.workspaceId, task.id, place.tracker.id);
    expect((await link(place, task.id)).status).toBe(200);
    const full = await link(place, task.id, { issueId: 4712 });
    expect([full.status, full.body.code]).toEqual([409, "limit_reached"]);
    expect((await link(place, task.id)).status, "what is there").toBe(200);
  });
});

test("an alert names a binding that can make Tasks", async () => {
  const place = await at();
  const { tracker, project } = place;
  const save = (value: unknown) =>
    post("/alert-action", { installationId: tracker.id, fields: [{ name: "binding", value, label: "Project" }] });
  expect((await save(tracker.bindingId)).body).toEqual({
    message: `It makes Tasks in ${project.key} · ${project.name}.`,
  });
  for (const value of [newId(), null, "", "x", (await at()).tracker.bindingId])
    expect((await save(value)).body.code, String(value)).toBe("invalid_reference");
  await change(place, "update projects set archived_at = now() where id = $1", project.id);
  expect((await save(tracker.bindingId)).body.code).toBe("project_archived");
  expect(await tasksOf(place)).toEqual([]);
});

describe("a tracker that signs as Sentry does", () => {
  const secret = "of the tracker itself";
  async function opted() {
    const place = await at();
    const named = newId();
    const sealed = secretBox(testKeys).seal(`sentry:${secret}`, signingRow(place.tracker.id));
    const sql = "update integration_installations set sealed_secret = $2, signs_as = $3 where id = $1";
    await change(place, sql, place.tracker.id, sealed, named);
    return { ...place, tracker: { ...place.tracker, id: named }, ours: place.tracker.id };
  }

  test("is answered where somebody has said so, by the name that it has for the installation", async () => {
    const place = await opted();
    const listed = await ask(`/options/bindings?installationId=${place.tracker.id}`, bySentry(secret));
    expect(listed.body).toMatchObject([{ value: place.tracker.bindingId }]);
    const first = await create(place, {}, {}, bySentry(secret));
    expect(first.status).toBe(200);
    expect((await create(place, {}, {}, bySentry(secret))).text).toBe(first.text);
    await trashTask(running, place.home, first.body.task_id);
    expect((await create(place, {}, {}, bySentry(secret))).text, "the same body, later").toBe(first.text);
    expect(await tasksOf(place)).toEqual([]);
  });

  test("and with nothing else", async () => {
    const place = await opted();
    const ours = { ...place, tracker: { ...place.tracker, id: place.ours } };
    expect((await create(place, {}, {}, bySentry("guessed"))).status).toBe(404);
    expect((await create(place, {}, {}, (line, body) => signedRequest(line, body, secret))).status).toBe(404);
    expect((await create(ours, {}, {}, bySentry(secret))).status).toBe(404);
    expect((await create(ours)).status).toBe(404);
  });

  test("is told apart from who has taken its name elsewhere", async () => {
    const place = await opted();
    const squatter = await at();
    const sql = "update integration_installations set signs_as = $2, sealed_secret = $3 where id = $1";
    const sealed = secretBox(testKeys).seal("sentry:of somebody else", signingRow(squatter.tracker.id));
    await change(squatter, sql, squatter.tracker.id, place.tracker.id, sealed);
    expect((await create(place, {}, {}, bySentry(secret))).status).toBe(200);
    expect([await tasksOf(place), await tasksOf(squatter)].map(({ length }) => length)).toEqual([1, 0]);
  });
});
