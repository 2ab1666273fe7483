// Outbound notifications: each event is sent once to the subscribed bindings of its Project, and never to its origin.
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { plantBinding, plantInstallation, plantResource, reachingFrom } from "../../../../test/integrations.ts";
import type { Figma } from "../../../../test/providers/published.ts";
import { standIn } from "../../../../test/providers/stand-in.ts";
import { newComment, newProject, newTask } from "../../../../test/work.ts";
import { service, type World, world } from "../../../../test/world.ts";
import type { JobParts } from "../../../platform/background/jobs.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { type LinkedEntity, showLinked } from "../apply/text-links.ts";
import type { Entity, ProviderDefinition, Tells } from "../client/provider.ts";
import { errtrackActions, errtrackTells } from "../providers/errtrack/actions.ts";
import { links, look } from "../providers/figma/frames.ts";
import { githubActions, githubTells } from "../providers/github/actions.ts";
import { providerOf } from "../providers/providers.ts";
import { slackActions, slackTells } from "../providers/slack/actions.ts";
import { webhook } from "../providers/webhook.ts";
import { tellProviders } from "./outbound-notifications.ts";
import { performAction } from "./run-action.ts";

const running = service();
const provider = await standIn();
afterAll(provider.close);

const probes: Record<string, [ProviderDefinition["actions"], Tells]> = {
  forge: [githubActions, githubTells],
  chat: [slackActions, slackTells],
  tracker: [errtrackActions, errtrackTells],
};
for (const [key, [actions, tells]] of Object.entries(probes))
  providerOf.set(key, { ...webhook, key, name: key, base: provider.origin, actions, tells });
const parts = () => {
  const apps = Object.fromEntries([...Object.keys(probes), "design"].map((key) => [key, { url: provider.origin }]));
  const { database, outside } = reachingFrom(running, apps);
  return { database, outside: { ...outside, origin: () => "https://svc.example" } } as unknown as JobParts;
};

const ALL = ["task_created", "task_completed", "task_commented"];
interface Bound {
  installationId: string;
  resourceId: string;
  bindingId: string;
  actorId: string;
}
async function bound(home: World, projectId: string, key: string, rules: object = {}, kinds = ALL): Promise<Bound> {
  const { workspaceId, owner } = home;
  const { id: installationId, actorId } = await plantInstallation(running, workspaceId, owner.actorId, {
    provider: key,
  });
  const resource = { forge: "acme/gears", chat: "C1", tracker: "7" }[key] as string;
  const { id: resourceId } = await plantResource(running, workspaceId, installationId, resource);
  const binding = { installationId, resourceId, projectId, rules: rules as Record<string, unknown>, kinds };
  const { id: bindingId } = await plantBinding(running, workspaceId, owner.actorId, binding);
  return { installationId, resourceId, bindingId, actorId };
}
const ENTITY = `
insert into rich_entities (workspace_id, id, task_id, installation_id, resource_id, provider_key, kind, external_id,
  title, url, state)
values ($1, $2, $3, $4, $5, 'forge', $6, $7, 'Entity', $8, 'open')`;
const show = (
  home: World,
  taskId: string,
  at: Bound,
  { kind, externalId, url }: Pick<Entity, "kind" | "externalId" | "url">,
) =>
  running.sql(
    ENTITY,
    [home.workspaceId, newId(), taskId, at.installationId, at.resourceId, kind, externalId, url],
    home.workspaceId,
  );
const pull = {
  kind: "pull_request",
  externalId: "acme/gears#3",
  url: "https://git.example/acme/gears/pull/3",
} as const;

/** What the application itself may not: events do not change, and jobs are not read. */
async function asOwner<Row extends object>(sql: string, values: unknown[]) {
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  return client.query<Row>(sql, values).finally(() => client.end());
}

/** Tells, does what was asked for, and what that wrote at the provider. */
async function told(home: World) {
  await tellProviders(parts());
  const open = "select id from integration_actions where state = 'queued' order by id";
  const actions = await running.sql<{ id: string }>(open, [], home.workspaceId);
  provider.reset();
  for (const { id } of actions) await performAction(parts(), { workspace_id: home.workspaceId, id });
  return provider.written().map(({ method, path, body }) => [`${method} ${path}`, body] as const);
}
const COMMENT = "POST /repos/acme/gears/issues/3/comments";
provider.on(COMMENT, { id: 99, html_url: "https://git.example/1" });
provider.on("POST /chat.postMessage", { ok: true, ts: "1.1" });
provider.on("GET /issues/12/", { id: "12", project: { id: "7" } });
provider.on("PUT /issues/12/", { id: "12" });

test("a comment goes to what stands at the Task, signed with who wrote it, once; it is known when it comes back", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const at = await bound(home, project.id, "forge", { sync_comments: true });
  const task = await newTask(home.owner, project.id);
  await show(home, task.id, at, pull);
  const comment = await newComment(home.owner, task.id, "Looks good");
  const [[route, body], ...more] = (await told(home)) as [readonly [string, { body: string }]];
  expect([route, more]).toEqual([COMMENT, []]);
  expect(body.body).toMatch(
    new RegExp(
      `^Looks good\\n\\n\\[.+ · ${task.code}\\]\\(https://svc\\.example/workspaces/.+\\)\\n\\n<!-- svc-action-`,
    ),
  );
  expect(await told(home)).toEqual([]);
  const kept = "select comment_id from integration_comments where installation_id = $1 and external_id = '99'";
  expect(await running.sql(kept, [at.installationId], home.workspaceId)).toEqual([{ comment_id: comment.id }]);
});

test("nothing is told without the rule, without an enabled subscription to its kind, from another Project, or of what stands at another resource", async () => {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  const silent = await bound(home, project.id, "forge", { sync_comments: false });
  const deaf = await bound(home, project.id, "forge", { sync_comments: true }, ["task_created"]);
  const off = await bound(home, project.id, "forge", { sync_comments: true });
  const disabled = "update integration_subscriptions set enabled = false where binding_id = $1";
  await running.sql(disabled, [off.bindingId], home.workspaceId);
  const elsewhere = await bound(home, other.id, "forge", { sync_comments: true });
  const without = await bound(home, project.id, "forge", { sync_comments: true });
  const task = await newTask(home.owner, project.id);
  for (const at of [silent, deaf, off, elsewhere]) await show(home, task.id, at, pull);
  await newComment(home.owner, task.id, "Quiet");
  expect(await told(home)).toEqual([]);
  expect(without.installationId).not.toBe("");
});

test("what an installation wrote itself is not sent back to it, nor what came from another", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const at = await bound(home, project.id, "forge", { sync_comments: true });
  const task = await newTask(home.owner, project.id);
  await show(home, task.id, at, pull);
  const { id: own } = await newComment(home.owner, task.id, "From the installation");
  const { id: linked } = await newComment(home.owner, task.id, "From somebody who is linked");
  const { id: deleted } = await newComment(home.owner, task.id, "Taken back");
  const by = "update domain_events set actor_id = $2, source = $3 where resource_id = $1";
  await asOwner(by, [own, at.actorId, "integration"]);
  await asOwner(by, [linked, home.owner.actorId, "integration"]);
  await home.owner.call("DELETE", `/comments/${deleted}`);
  expect(await told(home)).toEqual([]);
});

test("a channel hears of Tasks that are created, completed and commented on, with nothing in it that chat would act on", async () => {
  const home = await world(running);
  const project = await newProject(home);
  await bound(home, project.id, "chat");
  const task = await newTask(home.owner, project.id, { title: "Greet <!channel>" });
  const [[route, body]] = (await told(home)) as [readonly [string, { text: string; channel: string }]];
  expect([route, body.channel]).toEqual(["POST /chat.postMessage", "C1"]);
  expect(body.text).toMatch(new RegExp(`created ${task.code}: Greet &lt;!channel&gt;\\nhttps://svc\\.example/`));
  await newComment(home.owner, task.id, "Why?");
  expect(JSON.stringify(await told(home))).toContain(`commented on ${task.code}`);
  await complete(home, project.id, task);
  expect(JSON.stringify(await told(home))).toContain(`completed ${task.code}`);
  await home.owner.call("PATCH", `/tasks/${task.id}`, {
    body: { title: "Other" },
    ifMatch: (await home.owner.call("GET", `/tasks/${task.id}`)).body.revision,
  });
  expect(await told(home)).toEqual([]);
});

async function complete(home: World, projectId: string, task: { id: string }) {
  const { items } = (await home.owner.call("GET", `/projects/${projectId}/statuses`)).body;
  const done = items.find(({ category }: { category: string }) => category === "completed");
  const { body } = await home.owner.call("GET", `/tasks/${task.id}`);
  const moved = await home.owner.call("PATCH", `/tasks/${task.id}`, {
    body: { status_id: done.id },
    ifMatch: body.revision,
  });
  expect(moved.status).toBe(200);
}

test("an error is resolved with its Task, where the rule says so, whoever completed it", async () => {
  const home = await world(running);
  const error = { kind: "error", externalId: "12", url: "https://errors.example/12" } as const;
  for (const resolve_with_task of [true, false]) {
    const project = await newProject(home);
    const at = await bound(home, project.id, "tracker", { resolve_with_task }, ["error"]);
    const task = await newTask(home.owner, project.id);
    await show(home, task.id, at, error);
    await complete(home, project.id, task);
    const by = "update domain_events set source = 'integration' where task_id = $1 and type = 'task.status_changed'";
    await asOwner(by, [task.id]);
    const wanted = resolve_with_task ? [["PUT /issues/12/", { status: "resolved" }]] : [];
    expect(await told(home)).toEqual(wanted);
  }
});

test("a frame that a Task links to is shown at it by its name, and again where that changes", async () => {
  providerOf.set("design", {
    ...webhook,
    key: "design",
    name: "design",
    base: provider.origin,
    links,
    connection: { ...webhook.connection, look },
  });
  const home = await world(running);
  const project = await newProject(home);
  const { workspaceId, owner } = home;
  const { id: installationId } = await plantInstallation(running, workspaceId, owner.actorId, { provider: "design" });
  const { id: resourceId } = await plantResource(running, workspaceId, installationId, "account");
  const binding = { installationId, resourceId, projectId: project.id, kinds: ["link"] };
  await plantBinding(running, workspaceId, owner.actorId, binding);
  const link = "https://www.figma.com/design/AbCdEfGhIj12/Gears?node-id=1-2&t=x";
  const task = await newTask(owner, project.id, {
    description_markdown: `See [this](${link}) and https://figma.com/file/x`,
  });
  const asked = `select p.payload from graphile_worker.jobs j join graphile_worker._private_jobs p using (id)
      where j.key like 'show_linked ' || $1 || '%'`;
  await tellProviders(parts());
  const { rows } = await asOwner<{ payload: LinkedEntity }>(asked, [task.id]);
  expect(rows).toMatchObject([{ payload: { kind: "frame", external_id: "AbCdEfGhIj12/1:2" } }]);
  const linked = (rows[0] as { payload: LinkedEntity }).payload;
  const frame = (name: string, lastModified: string): Figma["nodes"] => ({
    name: "Gears",
    lastModified,
    nodes: { "1:2": { document: { id: "1:2", name, type: "FRAME" } } },
  });
  const shown = async () => (await owner.call("GET", `/tasks/${task.id}/rich-entities`)).body.items;
  provider.reset();
  provider.on("GET /v1/files/AbCdEfGhIj12/nodes", frame("Start", "2026-11-17T10:00:00Z"));
  provider.fail({ status: 500 });
  await expect(showLinked(parts(), linked)).rejects.toThrow("unreachable");
  expect(await shown()).toEqual([]);
  await showLinked(parts(), linked);
  await showLinked(parts(), linked);
  const url = "https://www.figma.com/design/AbCdEfGhIj12?node-id=1-2";
  expect(await shown()).toMatchObject([{ kind: "frame", title: "Gears / Start", url, provider_key: "design" }]);
  provider.on("GET /v1/files/AbCdEfGhIj12/nodes", frame("Home", "2026-11-17T11:00:00Z"));
  await showLinked(parts(), linked);
  expect(await shown()).toMatchObject([{ title: "Gears / Home" }]);
  // Where the Project is not bound any more, nothing is looked at.
  await running.sql("delete from integration_bindings where project_id = $1", [project.id], workspaceId);
  const before = provider.asked.length;
  await showLinked(parts(), linked);
  expect(provider.asked).toHaveLength(before);
});
