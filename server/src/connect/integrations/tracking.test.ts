// An error tracker and a Project, from one end to the other: an error makes a Task, completing the Task resolves the
// error, and resolving the error moves the Task. And what is left to do before.
import { createHmac } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import {
  plantBinding,
  plantInstallation,
  plantResource,
  signedNow,
  signedRequest,
} from "../../../test/integrations.ts";
import { standIn } from "../../../test/providers/stand-in.ts";
import { newProject } from "../../../test/work.ts";
import { service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const PROJECTS = "GET /api/0/organizations/acme/projects/";
const issues = new Map<string, { status: string }>();
const tracker = await standIn({
  "GET /api/0/organizations/": [
    { slug: "acme", name: "Acme", links: { organizationUrl: "https://errors.example.com" } },
  ],
  [PROJECTS]: [{ id: "7", slug: "shop" }],
});
afterAll(tracker.close);
const running = service({ roles: ["api", "worker"], apps: { errtrack: { url: tracker.origin } } });

/** An error there. */
function raise() {
  const id = newId();
  const issue = { status: "unresolved" };
  issues.set(id, issue);
  tracker.on(`GET /api/0/issues/${id}/`, () => ({ id, project: { id: "7" }, ...issue }));
  tracker.on(`PUT /api/0/issues/${id}/`, ({ body }: { body: { status: string } }) => Object.assign(issue, body));
  return id;
}

/** Of the tracker, signed. */
function request(rest: string, body: object, secret: string) {
  const path = `/integrations/errtrack${rest}`;
  const raw = JSON.stringify(body);
  const headers = { "content-type": "application/json", ...signedRequest(`POST /api/v1${path}`, raw, secret) };
  return running.send("POST", path, { raw, headers });
}

async function connected(home: World, body: object = {}) {
  const made = await home.owner.call("POST", `/workspaces/${home.workspaceId}/integration-authorizations/credential`, {
    body: { provider_key: "errtrack", base_url: tracker.origin, credential: "of-the-tracker", ...body },
  });
  expect(made.status, made.text).toBe(201);
  const resources = `/integration-installations/${made.body.id}/resources`;
  const [resource] = await eventually(async () => {
    const { items } = (await home.owner.call("GET", resources)).body;
    expect(items).toHaveLength(1);
    return items;
  });
  return { ...made.body, resource };
}

async function at(rules: object = {}, body: object = {}) {
  const home = await world(running);
  const { owner } = home;
  const project = await newProject(home);
  const installed = await connected(home, body);
  const { body: statuses } = await owner.call("GET", `/projects/${project.id}/statuses`);
  const done = statuses.items.find(({ category }: { category: string }) => category === "completed");
  const bound = await owner.call("POST", `/projects/${project.id}/integration-bindings`, {
    body: {
      installation_id: installed.id,
      resource_id: installed.resource.id,
      rules: { create_tasks: true, resolve_with_task: true, merged_status_id: done.id, ...rules },
    },
  });
  const path = `/integration-bindings/${bound.body.id}`;
  const subscribe = () => owner.call("POST", `${path}/subscriptions`, { body: { event_kinds: ["error"] } });
  const deliver = (action: string, id: string, more: object = {}) => {
    const issue = { id, title: "It fails", culprit: "cart.ts", project: { id: "7" }, web_url: "https://e.example/1" };
    const raw = JSON.stringify({ action, data: { issue: { ...issue, status: issues.get(id)?.status }, ...more } });
    const headers = { "content-type": "application/json", ...signedNow(raw, newId(), installed.signing_secret) };
    return running.send("POST", `/webhooks/integrations/errtrack/${installed.id}`, { raw, headers });
  };
  const tasks = async () => (await owner.call("GET", `/projects/${project.id}/tasks`)).body.items;
  const move = ({ id, revision }: { id: string; revision: string }, status_id: string) =>
    owner.call("PATCH", `/tasks/${id}`, { body: { status_id }, ifMatch: revision });
  return { home, owner, project, installed, done, bindingId: bound.body.id, path, subscribe, deliver, tasks, move };
}

test("an error makes a Task, and completing the Task resolves the error there", async () => {
  const { deliver, subscribe, tasks, move, done, installed } = await at();
  await subscribe();
  const id = raise();
  expect((await deliver("created", id)).status).toBe(200);
  const [task] = await eventually(async () => {
    const found = await tasks();
    expect(found).toHaveLength(1);
    return found;
  });
  expect(task.title).toBe("It fails");
  expect((await move(task, done.id)).status).toBe(200);
  await eventually(() => expect(issues.get(id)).toEqual({ status: "resolved" }));
  const words = `/integrations/errtrack/options/tasks?installationId=${installed.id}&projectSlug=shop&query=fails`;
  const headers = () => signedRequest(`GET /api/v1${words}`, "", installed.signing_secret);
  const found = async () => (await running.send("GET", words, { headers: headers() })).body;
  await eventually(
    async () => expect(await found()).toEqual([{ value: task.id, label: `${task.code} · It fails` }]),
    500,
  );
});

test("resolving the error there moves its Task, also one that the tracker has asked for", async () => {
  const { deliver, subscribe, tasks, installed, done, owner } = await at({ create_tasks: false });
  await subscribe();
  const id = raise();
  const sent = { issueId: id, webUrl: "https://e.example/1", project: { id: "7" }, fields: { title: "Asked for" } };
  const made = await request("/issues/create", { installationId: installed.id, ...sent }, installed.signing_secret);
  expect(made.status, made.text).toBe(200);
  await deliver("created", id);
  await deliver("resolved", id);
  await eventually(async () => {
    const { body } = await owner.call("GET", `/tasks/${made.body.task_id}`);
    expect(body.status_id).toBe(done.id);
  });
  expect(await tasks(), "nobody has made another").toHaveLength(1);
  const [entity] = (await owner.call("GET", `/tasks/${made.body.task_id}/rich-entities`)).body.items;
  expect(entity, "it is called what it is called there").toMatchObject({ title: "It fails" });
});

test("an alert makes a Task in the Project of the binding that it names, and in no other", async () => {
  const { deliver, subscribe, tasks, bindingId, installed, home } = await at({ create_tasks: false });
  await subscribe();
  const other = await newProject(home);
  const also = { installationId: installed.id, resourceId: installed.resource.id, projectId: other.id };
  const rules = { create_tasks: true };
  await plantBinding(running, home.workspaceId, home.owner.actorId, { ...also, rules, kinds: ["error"] });
  const [named, elsewhere] = [raise(), raise()];
  const alert = (value: string) => ({ issue_alert: { title: "Alert", settings: [{ name: "binding", value }] } });
  await deliver("triggered", elsewhere, alert(newId()));
  await deliver("triggered", named, alert(bindingId));
  await eventually(async () => expect(await tasks()).toHaveLength(1));
  expect((await home.owner.call("GET", `/projects/${other.id}/tasks`)).body.items).toEqual([]);
});

test("what is left to do is said, one thing after the other, until it is ready", async () => {
  const { home, path, owner, project, installed, subscribe, deliver } = await at({ create_tasks: false });
  const look = async () => (await owner.call("POST", `${path}/errtrack-readiness`)).body;
  const open = (state: string, { checks }: { checks: { code: string; state: string; next: string | null }[] }) =>
    checks.filter((check) => check.state === state).map(({ code }) => code);
  const first = await look();
  expect([first.is_ready, open("todo", first), open("optional", first)]).toEqual([
    ...[false, ["deliveries", "subscription"], ["create_tasks"]],
  ]);
  for (const { state, next } of first.checks) expect(next === null, state).toBe(state === "ready");
  expect(first.webhook_url).toBe(installed.webhook_url);
  await subscribe();
  expect(open("todo", await look())).toEqual(["deliveries"]);
  const sent = {
    issueId: raise(),
    webUrl: "https://e.example/1",
    project: { id: "7" },
    fields: { title: "Asked for" },
  };
  expect(
    (await request("/issues/create", { installationId: installed.id, ...sent }, installed.signing_secret)).status,
  ).toBe(200);
  expect(open("todo", await look()), "what it asks for is no delivery").toEqual(["deliveries"]);
  await deliver("created", raise());
  const ready = await look();
  expect([ready.is_ready, typeof ready.last_delivery_at]).toEqual([true, "string"]);
  const set = (sql: string) => running.sql(sql, [installed.id], home.workspaceId);
  // The look before has the tracker asked anew: that may end in between, and make it active again.
  await eventually(async () => {
    await set("update integration_installations set state = 'degraded', error_code = 'unreachable' where id = $1");
    expect(open("todo", await look())).toEqual(["connection"]);
  });
  await eventually(async () => expect((await look()).is_ready, "the tracker was asked anew").toBe(true));
  tracker.on(PROJECTS, []);
  await eventually(async () => expect(open("todo", await look())).toEqual(["project_listed"]));
  const [bound] = (await owner.call("GET", `/projects/${project.id}/integration-bindings`)).body.items;
  expect(bound.resource).toMatchObject({ name: "shop", listed: false });
  tracker.on(PROJECTS, [{ id: "7", slug: "shop" }]);
  await eventually(async () => expect((await look()).is_ready).toBe(true));
});

test("an account that is not found there is looked for again, and its credential stays", async () => {
  const { home, owner, installed, path } = await at();
  const look = () => owner.call("POST", `${path}/errtrack-readiness`);
  const state = async () => (await owner.call("GET", `/integration-installations/${installed.id}`)).body;
  tracker.on(PROJECTS, undefined);
  await look();
  await eventually(async () => expect(await state()).toMatchObject({ state: "degraded", error_code: "removed" }));
  const kept = "select from integration_installations where id = $1 and sealed_credential is not null";
  expect(await running.sql(kept, [installed.id], home.workspaceId)).toHaveLength(1);
  tracker.on(PROJECTS, [{ id: "7", slug: "shop" }]);
  await look();
  await eventually(async () => expect(await state()).toMatchObject({ state: "active", error_code: null }));
});

test("there is nothing to say of what is no error tracker", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const { id } = await plantInstallation(running, home.workspaceId, home.owner.actorId);
  const { id: resourceId } = await plantResource(running, home.workspaceId, id);
  const bound = { installationId: id, resourceId, projectId: project.id };
  const binding = await plantBinding(running, home.workspaceId, home.owner.actorId, bound);
  expect((await home.owner.call("POST", `/integration-bindings/${binding.id}/errtrack-readiness`)).status).toBe(404);
});

test("one that signs as Sentry does is connected with its own secret, and then answered; connected again it is not", async () => {
  const signing = { secret: "a secret of Sentry's".replaceAll(" ", "-"), installation: newId() };
  const place = await at({}, { signing });
  const { installed, subscribe, home, owner } = place;
  expect(installed).toMatchObject({ signing_secret: null, webhook_url: expect.stringContaining(installed.id) });
  await subscribe();
  const path = `/integrations/errtrack/options/bindings?installationId=${signing.installation}`;
  const mac = createHmac("sha256", signing.secret).update("").digest("hex");
  const ask = () => running.send("GET", path, { headers: { "sentry-app-signature": mac } });
  expect((await ask()).body).toMatchObject([{ value: place.bindingId }]);
  const again = await connected(home);
  expect([again.id, typeof again.signing_secret]).toEqual([installed.id, "string"]);
  expect((await ask()).status).toBe(404);
  const webhook = await owner.call("POST", `/workspaces/${home.workspaceId}/integration-authorizations/credential`, {
    body: { provider_key: "webhook", signing },
  });
  expect([webhook.status, webhook.body.errors?.[0]?.pointer]).toEqual([400, "/body/signing"]);
});
