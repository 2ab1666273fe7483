// Enabled Agents: one of each definition, narrowed and never widened, stopped at once, moved between versions, and
// remembered after they are gone.
import { MOST_AGENTS } from "@svc/contract/assistant/agents/agents.ts";
import { expect, test } from "vitest";
import { plantAgent, plantDefinition } from "../../../test/agents.ts";
import { eventsOf, newProject, newTask, refusalOf, workshopOn } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import { newId } from "../../platform/wire/ids.ts";
import { curated } from "./curated-agents.ts";
import { defaultBudgets } from "./rules.ts";
import { agentToRun, mayRun } from "./store.ts";

const running = service();
const pathOf = ({ workspaceId }: World, id = "") => `/workspaces/${workspaceId}/agents${id && `/${id}`}`;
const enable = (home: World, definition_id: string, body: object = {}, person = home.owner) =>
  person.call("POST", pathOf(home), { body: { definition_id, ...body }, key: newKey() });
const change = (home: World, id: string, body: object, person = home.owner) =>
  person.call("PATCH", pathOf(home, id), { body, headers: { "if-match": "*" } });
const define = async (home: World, planted: object = {}) =>
  (await plantDefinition(running, home.workspaceId, home.owner.actorId, planted)).id;
const [triage] = curated.map(({ id }) => id) as [string];

test("a curated one is enabled with its name, an Actor of its own and a name to mention it by; one of each", async () => {
  const home = await world(running);
  const made = await enable(home, triage);
  expect([made.status, made.headers.get("location"), made.trips <= 5]).toEqual([
    201,
    `/api/v1${pathOf(home, made.body.id)}`,
    true,
  ]);
  expect(made.body).toMatchObject({
    definition_id: triage,
    version: 1,
    name: "Triage",
    username: "triage",
    state: "active",
    reason: null,
    project_ids: [],
    every_project: true,
    budgets: curated[0]?.budgets,
    trigger_kinds: ["manual", "mention", "assignment", "event"],
    capabilities: ["agent:update", "agent:delete", "agent:quarantine", "agent:revert"],
  });
  const again = await enable(home, triage);
  expect(refusalOf(again)).toEqual([409, "agent_enabled", "/body/definition_id"]);
  const [actor] = await running.sql(
    "select kind, name, user_id from actors where id = $1",
    [made.body.actor_id],
    home.workspaceId,
  );
  expect(actor).toEqual({ kind: "agent", name: "Triage", user_id: null });
  const members = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/members`)).body.items;
  expect(members).toHaveLength(1);
  const run = await inWorkspace(running.database.writer, home.workspaceId, (tx) => agentToRun(tx, made.body));
  expect(run).toMatchObject({ publisher_actor_id: home.owner.actorId, instructions: curated[0]?.instructions });
});

test("a name that somebody has becomes another one to mention it by", async () => {
  const home = await world(running);
  await running.sql("update users set username = $2 where id = $1", [
    home.owner.userId,
    `scribe-${home.workspaceId.slice(-8)}`,
  ]);
  const name = `Scribe ${home.workspaceId.slice(-8)}`;
  const [one, two] = [await define(home), await define(home)];
  expect((await enable(home, one, { name })).body.username).toBe(`scribe-${home.workspaceId.slice(-8)}-2`);
  expect((await enable(home, two, { name })).body.username).toBe(`scribe-${home.workspaceId.slice(-8)}-3`);
  expect((await enable(home, triage, { name: "日本" })).body.username).toBe("agent");
});

test("what is not published, not there or hidden is not enabled; who only runs Agents enables none", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const body = { name: "Greeter", instructions: "Greet.", tools: ["find"] };
  const draft = (await member.call("POST", pathOf(home, "studio/definitions"), { body })).body;
  expect(refusalOf(await enable(home, draft.id))).toEqual([409, "definition_not_published"]);
  expect(refusalOf(await enable(home, newId()))).toEqual([422, "invalid_reference", "/body/definition_id"]);
  const elsewhere = await define(await world(running));
  expect(refusalOf(await enable(home, elsewhere))).toEqual([422, "invalid_reference", "/body/definition_id"]);
  expect(refusalOf(await enable(home, triage, {}, member))).toEqual([403, "forbidden"]);
});

test("an Agent is narrowed to some of the definition's Projects, never beyond them", async () => {
  const { home, project } = await workshopOn(running);
  const [other, third] = [await newProject(home), await newProject(home)];
  const definition = await define(home, { projectIds: [project.id, other.id] });
  const beyond = await enable(home, definition, { project_ids: [project.id, third.id] });
  expect(refusalOf(beyond)).toEqual([422, "invalid_reference", "/body/project_ids/1"]);
  const made = (await enable(home, definition, { project_ids: [other.id], budgets: { tokens_per_run: 5000 } })).body;
  expect(made).toMatchObject({ project_ids: [other.id], budgets: { ...defaultBudgets, tokens_per_run: 5000 } });
  expect((await change(home, made.id, { project_ids: [third.id] })).body.code).toBe("invalid_reference");
  const widened = (await change(home, made.id, { project_ids: [], budgets: { tokens_per_run: 150_000 } })).body;
  expect(widened).toMatchObject({ project_ids: [project.id, other.id], every_project: false, budgets: defaultBudgets });
});

test("a narrowed Agent is there for whoever sees one of its Projects, and for nobody else", async () => {
  const { home } = await workshopOn(running);
  const closed = await newProject(home, { visibility: "private" });
  const outside = await home.member("member");
  const { id } = await plantAgent(running, home.workspaceId, home.owner.actorId, { projectIds: [closed.id] });
  const listed = async (person: Person) => (await person.call("GET", pathOf(home))).body.items.length;
  expect([await listed(home.owner), await listed(outside)]).toEqual([1, 0]);
  const headers = { "x-correlation-id": "one-and-the-same" };
  const [hidden, missing] = await Promise.all(
    [id, newId()].map((each) => outside.call("GET", pathOf(home, each), { headers })),
  );
  expect([hidden?.status, hidden?.text]).toEqual([404, missing?.text]);
  const quarantine = (person: Person) =>
    person.call("POST", pathOf(home, `${id}/quarantine`), { body: { reason: "Stop" } });
  expect([(await quarantine(outside)).status, (await quarantine(home.owner)).status]).toEqual([404, 200]);
  // Where it happened decides who hears of it.
  const [event] = await running.sql(
    "select type, project_id from domain_events where resource_id = $1",
    [id],
    home.workspaceId,
  );
  expect(event).toEqual({ type: "agent.quarantined", project_id: closed.id });
});

test("whoever may run it stops it at once; only those who manage Agents release it", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const { id } = await plantAgent(running, home.workspaceId, home.owner.actorId);
  const may = () => inWorkspace(running.database.writer, home.workspaceId, (tx) => mayRun(tx, id));
  const quarantine = (reason: string) => member.call("POST", pathOf(home, `${id}/quarantine`), { body: { reason } });
  expect(await may()).toBe(true);
  expect([(await quarantine("")).status, (await quarantine("r".repeat(501))).status]).toEqual([400, 400]);
  const stopped = await quarantine("Comments on everything");
  expect(stopped.body).toMatchObject({
    state: "quarantined",
    reason: "Comments on everything",
    quarantined_by_actor_id: member.actorId,
    capabilities: [],
  });
  expect(await may()).toBe(false);
  expect((await quarantine("Again")).body).toMatchObject({ reason: "Comments on everything", revision: "2" });
  expect(refusalOf(await change(home, id, { state: "active" }, member))).toEqual([403, "forbidden"]);
  const released = await change(home, id, { state: "active" });
  expect(released.body).toMatchObject({
    state: "active",
    reason: null,
    quarantined_at: null,
    quarantined_by_actor_id: null,
  });
  expect(await may()).toBe(true);
  expect((await change(home, id, { state: "paused" })).body.state).toBe("paused");
  expect(await may()).toBe(false);
  const told = (await eventsOf(running, home, id)).map(({ type, activity }) => [type, activity].join(" ").trim());
  expect(told).toEqual(["agent.quarantined", "agent.updated", "agent.updated"]);
});

test("publishing moves the Agent on, rolling back takes it to any version that was published", async () => {
  const home = await world(running);
  const definition = await define(home);
  const agent = (await enable(home, definition, { name: "Greeter" })).body;
  const studio = pathOf(home, `studio/definitions/${definition}`);
  const patch = (body: object) => home.owner.call("PATCH", studio, { body, headers: { "if-match": "*" } });
  const now = async () => (await home.owner.call("GET", pathOf(home, agent.id))).body;
  await patch({ instructions: "Wave.", triggers: [{ kind: "mention" }] });
  expect((await now()).version).toBe(1);
  await patch({ state: "published" });
  expect(await now()).toMatchObject({ version: 2, trigger_kinds: ["mention"], name: "Greeter", revision: "2" });
  const back = (version: number) =>
    home.owner.call("POST", pathOf(home, `${agent.id}/rollback`), { body: { version } });
  expect((await back(1)).body).toMatchObject({ version: 1, trigger_kinds: ["manual"], revision: "3" });
  expect((await back(1)).body.revision).toBe("3");
  expect((await back(2)).body.version).toBe(2);
  await patch({ instructions: "Bow." });
  for (const version of [3, 4]) {
    const refused = await back(version);
    expect(refusalOf(refused)).toEqual([422, "invalid_reference", "/body/version"]);
  }
});

test("a version that leaves an Agent no Project is not published over it", async () => {
  const { home, project } = await workshopOn(running);
  const other = await newProject(home);
  const definition = await define(home, { projectIds: [project.id, other.id] });
  const agent = (await enable(home, definition, { project_ids: [project.id] })).body;
  const studio = pathOf(home, `studio/definitions/${definition}`);
  const body = { project_ids: [other.id], state: "published" };
  const patch = () => home.owner.call("PATCH", studio, { body, headers: { "if-match": "*" } });
  expect(refusalOf(await patch())).toEqual([409, "agent_narrowed"]);
  expect((await home.owner.call("GET", studio)).body).toMatchObject({ version: 1, state: "published" });
  await change(home, agent.id, { project_ids: [] });
  expect((await patch()).body).toMatchObject({ version: 2, state: "published" });
  expect((await home.owner.call("GET", pathOf(home, agent.id))).body.project_ids).toEqual([other.id]);
});

test("retiring a definition pauses its Agent, which is not resumed before it is published again", async () => {
  const home = await world(running);
  const definition = await define(home);
  const { id } = (await enable(home, definition)).body;
  const patch = (state: string) =>
    home.owner.call("PATCH", pathOf(home, `studio/definitions/${definition}`), {
      body: { state },
      headers: { "if-match": "*" },
    });
  await patch("retired");
  expect((await home.owner.call("GET", pathOf(home, id))).body).toMatchObject({
    state: "paused",
    reason: "definition_retired",
  });
  expect(refusalOf(await change(home, id, { state: "active" }))).toEqual([409, "definition_not_published"]);
  await patch("published");
  expect((await change(home, id, { state: "active" })).body).toMatchObject({ state: "active", reason: null });
});

test("deleting one keeps its Actor with its name, and what it is assigned to; another may then be enabled", async () => {
  const { home, project } = await workshopOn(running);
  const { id, actor_id } = (await enable(home, triage)).body;
  const task = await newTask(home.owner, project.id, { assignee_actor_id: actor_id });
  expect((await home.owner.call("DELETE", pathOf(home, id))).status).toBe(204);
  for (const method of ["GET", "DELETE"]) expect((await home.owner.call(method, pathOf(home, id))).status).toBe(404);
  const { body } = await home.owner.call("GET", `/tasks/${task.id}?include=people`);
  expect(body.assignee_actor_id).toBe(actor_id);
  expect(body.included.actors[actor_id]).toMatchObject({ kind: "agent", display_name: "Triage", username: "triage" });
  const next = (await enable(home, triage)).body;
  expect(next).toMatchObject({ username: "triage", state: "active" });
  expect([next.id, next.actor_id]).not.toEqual([id, actor_id]);
});

test("renaming changes the name everywhere, and not the one that it is mentioned by", async () => {
  const home = await world(running);
  const made = (await enable(home, triage)).body;
  const renamed = await change(home, made.id, { name: "Sichtung" });
  expect(renamed.body).toMatchObject({ name: "Sichtung", username: "triage", revision: "2" });
  expect((await change(home, made.id, { name: "Sichtung" })).body.revision).toBe("2");
  const [actor] = await running.sql("select name from actors where id = $1", [made.actor_id], home.workspaceId);
  expect(actor).toEqual({ name: "Sichtung" });
});

test("only so many are enabled", async () => {
  const home = await world(running);
  const { id, definitionId } = await plantAgent(running, home.workspaceId, home.owner.actorId);
  await running.sql(
    `with n as (select gen_random_uuid() as id from generate_series(1, ${MOST_AGENTS - 2})), d as (
       insert into agent_definitions (workspace_id, id, state, published_version, created_by_actor_id)
       select workspace_id, n.id, 'published', 1, created_by_actor_id from n, agent_definitions
       where agent_definitions.id = $2
     ), v as (
       insert into agent_versions
       select workspace_id, n.id, version, name, description, instructions, tools, triggers, project_ids, budgets,
         published_by_actor_id, published_at, created_at
       from n, agent_versions where definition_id = $2
     ), a as (insert into actors (workspace_id, id, kind, name) select $3, n.id, 'agent', 'Helper' from n)
     insert into agents (workspace_id, id, definition_id, version, actor_id, name, username, created_by_actor_id)
     select a.workspace_id, n.id, n.id, 1, n.id, a.name, n.id::text, a.created_by_actor_id from n, agents a
     where a.id = $1`,
    [id, definitionId, home.workspaceId],
    home.workspaceId,
  );
  expect((await enable(home, triage)).status).toBe(201);
  expect(refusalOf(await enable(home, await define(home)))).toEqual([409, "limit_reached"]);
});

test("of several who enable the same at once one does, and of several who decide a request", async () => {
  const home = await world(running);
  const admin = await home.member("admin");
  const people = [home.owner, admin, home.owner, admin];
  const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();
  expect(statusesOf(await Promise.all(people.map((person) => enable(home, triage, {}, person))))).toEqual([
    ...[201, 409, 409, 409],
  ]);
  const at = pathOf(home, `studio/definitions/${triage}`);
  const asked = await (await home.member("member")).call("POST", `${at}/requests`, { body: { kind: "change" } });
  const body = { decide: { request_id: asked.body.id, decision: "reject" } };
  const decided = await Promise.all(people.map((person) => person.call("PATCH", at, { body, ifMatch: "1" })));
  expect(statusesOf(decided)).toEqual([200, 409, 409, 409]);
});
