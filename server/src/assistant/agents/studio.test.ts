// The studio: every member drafts, a published version never changes, and only those who manage Agents publish, retire
// and decide.
import { MOST_AGENT_TOOLS, MOST_INSTRUCTIONS, MOST_TRIGGERS } from "@svc/contract/assistant/agents/definitions.ts";
import { MOST_DEFINITIONS } from "@svc/contract/assistant/agents/studio.ts";
import { expect, test } from "vitest";
import { newProject, refusalOf, workshopOn } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { curated } from "./curated-agents.ts";
import { defaultBudgets } from "./rules.ts";

const running = service();
const pathOf = ({ workspaceId }: World, id = "") =>
  `/workspaces/${workspaceId}/agents/studio/definitions${id && `/${id}`}`;
const some = { name: "Greeter", instructions: "Greet.", tools: ["find", "comment"] };
const draft = (home: World, body: object = {}, person = home.owner) =>
  person.call("POST", pathOf(home), { body: { ...some, ...body } });
const change = (home: World, { id, revision }: { id: string; revision: string }, body: object, person = home.owner) =>
  person.call("PATCH", pathOf(home, id), { body, ifMatch: revision });
const read = (home: World, id: string, person = home.owner) => person.call("GET", pathOf(home, id));

test("a draft is made with what is left out as the reference says, and is told to whoever may do what", async () => {
  const home = await world(running);
  const [author, other, viewer] = [
    await home.member("member"),
    await home.member("member"),
    await home.member("viewer"),
  ];
  const made = await draft(home, {}, author);
  expect([made.status, made.headers.get("location"), made.trips <= 5]).toEqual([
    201,
    `/api/v1${pathOf(home, made.body.id)}`,
    true,
  ]);
  expect(made.body).toMatchObject({
    ...some,
    description: "",
    triggers: [{ kind: "manual" }],
    project_ids: [],
    every_project: true,
    curated: null,
    budgets: defaultBudgets,
    version: 1,
    state: "draft",
    published_version: null,
    published_at: null,
    created_by_actor_id: author.actorId,
    capabilities: ["agent_definition:update", "agent_definition:request"],
  });
  const told = async (person: Person) => (await read(home, made.body.id, person)).body.capabilities;
  expect(await told(home.owner)).toEqual([
    "agent_definition:update",
    "agent_definition:publish",
    "agent_definition:request",
  ]);
  expect([await told(other), await told(viewer)]).toEqual([["agent_definition:request"], []]);
  expect(refusalOf(await change(home, made.body, { name: "Waver" }, other))).toEqual([403, "forbidden"]);
  expect(refusalOf(await change(home, made.body, { state: "published" }, author))).toEqual([403, "forbidden"]);
});

test("a draft changes in place, a published version never does: the next one is drafted", async () => {
  const home = await world(running);
  const author = await home.member("member");
  const made = (await draft(home, {}, author)).body;
  const rewritten = await change(home, made, { budgets: { steps_per_run: 5 }, description: "Says hello." }, author);
  expect(rewritten.body).toMatchObject({
    version: 1,
    state: "draft",
    revision: "2",
    description: "Says hello.",
    budgets: { ...defaultBudgets, steps_per_run: 5 },
  });
  expect((await change(home, rewritten.body, { description: "Says hello." }, author)).body.revision).toBe("2");
  const published = await change(home, rewritten.body, { state: "published" });
  expect(published.body).toMatchObject({ version: 1, state: "published", published_version: 1 });
  expect(published.body.published_by_actor_id).toBe(home.owner.actorId);
  const next = await change(home, published.body, { instructions: "Wave." }, author);
  expect(next.body).toMatchObject({ version: 2, state: "draft", published_version: 1, published_at: null });
  const both = await change(home, next.body, { instructions: "Wave twice.", state: "published" });
  expect(both.body).toMatchObject({
    version: 2,
    state: "published",
    published_version: 2,
    instructions: "Wave twice.",
  });
  const kept = await running.sql<{ instructions: string }>(
    "select instructions from agent_versions where definition_id = $1 order by version",
    [made.id],
    home.workspaceId,
  );
  expect(kept.map(({ instructions }) => instructions)).toEqual(["Greet.", "Wave twice."]);
  const stale = await change(home, made, { name: "Late" });
  expect(refusalOf(stale)).toEqual([409, "revision_conflict"]);
});

test("a retired definition is enabled by nobody, and is published again as it was or with a next version", async () => {
  const home = await world(running);
  const made = (await draft(home)).body;
  const published = (await change(home, made, { state: "published" })).body;
  const retired = (await change(home, published, { state: "retired" })).body;
  expect(retired).toMatchObject({ state: "retired", version: 1, published_version: 1 });
  const enabling = await home.owner.call("POST", `/workspaces/${home.workspaceId}/agents`, {
    body: { definition_id: made.id },
  });
  expect(refusalOf(enabling)).toEqual([409, "definition_not_published"]);
  const again = (await change(home, retired, { state: "published" })).body;
  expect(again).toMatchObject({ state: "published", version: 1 });
  const gone = (await change(home, again, { state: "retired" })).body;
  expect((await change(home, gone, { name: "Waver" })).body).toMatchObject({ state: "draft", version: 2 });
});

test("what starts it is checked whole: what a kind needs, what it does not take, and nothing twice", async () => {
  const home = await world(running);
  const faultsOf = async (triggers: object[]) => {
    const { status, body } = await draft(home, { triggers });
    return status === 201 ? [] : body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`);
  };
  const schedule = { kind: "schedule", at: "07:30", timezone: "Europe/Berlin" };
  expect(await faultsOf([{ kind: "mention" }, { kind: "assignment" }, { ...schedule, weekdays: [1, 5] }])).toEqual([]);
  expect(
    await faultsOf([
      { kind: "event", action: "task.created" },
      { kind: "event", action: "document.created" },
    ]),
  ).toEqual([]);
  expect(await faultsOf([{ kind: "schedule", at: "07:30" }])).toEqual(["/body/triggers/0/timezone required"]);
  expect(await faultsOf([{ kind: "event" }])).toEqual(["/body/triggers/0/action required"]);
  expect(await faultsOf([{ kind: "manual", at: "07:30" }])).toEqual(["/body/triggers/0/at not_allowed"]);
  expect(await faultsOf([{ kind: "manual" }, { kind: "manual" }])).toEqual(["/body/triggers/1 not_unique"]);
  for (const wrong of [
    ...[
      { ...schedule, at: "24:00" },
      { ...schedule, timezone: "Mars/Base" },
      { ...schedule, weekdays: [0] },
    ],
    ...[{ ...schedule, weekdays: [] }, { kind: "event", action: "member.joined" }, { kind: "moon" }],
  ])
    expect((await draft(home, { triggers: [wrong] })).status, JSON.stringify(wrong)).toBe(400);
});

test("limits hold at the bound and not past it", async () => {
  const home = await world(running);
  const status = async (body: object) => (await draft(home, body)).status;
  const times = (count: number) =>
    Array.from({ length: count }, (_, minute) => ({ kind: "schedule", at: `07:${10 + minute}`, timezone: "UTC" }));
  expect([await status({ name: "n".repeat(80) }), await status({ name: "n".repeat(81) })]).toEqual([201, 400]);
  const long = (length: number) => ({ instructions: "w".repeat(length) });
  expect([await status(long(MOST_INSTRUCTIONS)), await status(long(MOST_INSTRUCTIONS + 1))]).toEqual([201, 400]);
  expect([await status({ description: "d".repeat(500) }), await status({ description: "d".repeat(501) })]).toEqual([
    201, 400,
  ]);
  expect([
    await status({ triggers: times(MOST_TRIGGERS) }),
    await status({ triggers: times(MOST_TRIGGERS + 1) }),
  ]).toEqual([201, 400]);
  expect([await status({ tools: [] }), await status({ tools: Array(MOST_AGENT_TOOLS + 1).fill("find") })]).toEqual([
    400, 400,
  ]);
  for (const [name, least, most] of [
    ["runs_per_hour", 1, 60],
    ["seconds_per_run", 30, 600],
    ["steps_per_run", 1, 100],
    ["tokens_per_run", 1000, 200_000],
    ["tokens_per_day", 1000, 10_000_000],
  ] as const)
    expect(
      await Promise.all([least - 1, least, most, most + 1].map((value) => status({ budgets: { [name]: value } }))),
      name,
    ).toEqual([400, 201, 201, 400]);
});

test("only so many definitions are kept", async () => {
  const home = await world(running);
  await running.sql(
    `insert into agent_definitions (workspace_id, id, state, created_by_actor_id)
      select $1, gen_random_uuid(), 'draft', $2 from generate_series(1, ${MOST_DEFINITIONS - 1})`,
    [home.workspaceId, home.owner.actorId],
    home.workspaceId,
  );
  expect((await draft(home)).status).toBe(201);
  expect(refusalOf(await draft(home))).toEqual([409, "limit_reached"]);
});

test("tools must be in the table, and the one that follows a decision is in nobody's", async () => {
  const home = await world(running);
  const refused = await draft(home, { tools: ["find", "fly", "apply_change_set"] });
  expect(refusalOf(refused)).toEqual([422, "invalid_reference", "/body/tools/1", "/body/tools/2"]);
});

test("what is narrowed to Projects that somebody does not see is not there for them, and nobody narrows to what they do not see", async () => {
  const { home, project } = await workshopOn(running);
  const closed = await newProject(home, { visibility: "private" });
  const outside = await home.member("member");
  const made = (await draft(home, { project_ids: [closed.id] })).body;
  expect(made).toMatchObject({ project_ids: [closed.id], every_project: false });
  expect([(await read(home, made.id, outside)).status, (await read(home, newId(), outside)).status]).toEqual([
    404, 404,
  ]);
  const wide = (await draft(home, { project_ids: [project.id, closed.id] })).body;
  expect((await read(home, wide.id, outside)).body).toMatchObject({ project_ids: [project.id], every_project: false });
  const listed = async (person: Person) =>
    (await person.call("GET", pathOf(home))).body.items.map(({ id }: { id: string }) => id);
  expect([await listed(outside), await listed(home.owner)]).toEqual([[wide.id], [wide.id, made.id]]);
  for (const id of [closed.id, newId()]) {
    const refused = await draft(home, { project_ids: [project.id, id] }, outside);
    expect(refusalOf(refused)).toEqual([422, "invalid_reference", "/body/project_ids/1"]);
  }
});

test("a curated one is read like any other, and changed by nobody", async () => {
  const home = await world(running);
  for (const { id, key, name, instructions } of curated) {
    const { body, status } = await read(home, id);
    expect([status, body.curated, body.name, body.instructions]).toEqual([200, key, name, instructions]);
    expect(body).toMatchObject({ revision: "0", state: "published", created_by_actor_id: null });
    for (const refused of [{ name: "Mine" }, { state: "retired" }, { name: "Mine", state: "published" }])
      expect(refusalOf(await change(home, body, refused))).toEqual([403, "forbidden"]);
    // There is nothing newer than the newest.
    expect((await change(home, body, { state: "published" })).body).toMatchObject({ revision: "0" });
  }
  expect((await home.owner.call("GET", pathOf(home))).body.items).toEqual([]);
});

test("the newest version of a curated one is taken by those who manage Agents, and its Agent keeps what was set", async () => {
  const home = await world(running);
  const [member, project] = [await home.member("member"), await newProject(home)];
  const { id, version } = curated.find(({ key }) => key === "release_notes") as (typeof curated)[number];
  const agents = `/workspaces/${home.workspaceId}/agents`;
  const own = { name: "News", project_ids: [project.id], budgets: { runs_per_hour: 3 } };
  const agent = (await home.owner.call("POST", agents, { body: { definition_id: id, ...own } })).body;
  const now = (person = home.owner) => person.call("GET", `${agents}/${agent.id}`);
  expect((await read(home, id)).body.capabilities).not.toContain("agent_definition:publish");
  // As if it had been enabled when the service had the one before.
  const earlier = version - 1;
  const made = `insert into agent_versions
    select workspace_id, definition_id, $2, name, 'Old words', instructions, '{find}', '[{"kind": "manual"}]',
      project_ids, budgets,
    published_by_actor_id, published_at from agent_versions where workspace_id = $1 and definition_id = $3`;
  const back = (table: string, of: string) =>
    running.asOwner(`update ${table} set version = $2 where workspace_id = $1 and ${of} = $3`, [
      home.workspaceId,
      earlier,
      id,
    ]);
  await running.asOwner(made, [home.workspaceId, earlier, id]);
  await Promise.all([back("agent_definitions", "id"), back("agents", "definition_id")]);
  await running.asOwner("update agent_definitions set published_version = version where workspace_id = $1", [
    home.workspaceId,
  ]);
  const old = (await read(home, id)).body;
  expect(old).toMatchObject({ version: earlier, description: "Old words", tools: ["find"] });
  expect(old.capabilities).toContain("agent_definition:publish");
  expect((await read(home, id, member)).body.capabilities).toEqual(["agent_definition:request"]);
  expect(refusalOf(await change(home, old, { state: "published" }, member))).toEqual([403, "forbidden"]);
  const stale = { ...old, revision: "0" };
  expect(refusalOf(await change(home, stale, { state: "published" }))[1]).toBe("revision_conflict");
  const taken = await change(home, old, { state: "published" });
  expect([taken.status, taken.trips <= 5], taken.text).toEqual([200, true]);
  expect(taken.body).toMatchObject({ version, published_version: version, published_by_actor_id: home.owner.actorId });
  expect(taken.body.tools).toContain("create_document");
  expect((await now()).body).toMatchObject({
    version,
    name: "News",
    project_ids: [project.id],
    actor_id: agent.actor_id,
    username: agent.username,
    budgets: { runs_per_hour: 3 },
    trigger_kinds: ["manual", "mention", "assignment"],
  });
  // Once more it is as it is; and the way back is open.
  expect((await change(home, taken.body, { state: "published" })).body.revision).toBe(taken.body.revision);
  const rolled = await home.owner.call("POST", `${agents}/${agent.id}/rollback`, { body: { version: earlier } });
  expect(rolled.body).toMatchObject({ version: earlier, name: "News" });
});

test("each curated one would pass the rules of the studio, in English and German", async () => {
  const home = await world(running);
  for (const { id: _, key, version, translations, ...content } of curated) {
    const made = await draft(home, content);
    expect(made.status, `${key} ${made.text}`).toBe(201);
    expect([version >= 1, translations.map(({ language }) => language)]).toEqual([true, ["de"]]);
  }
  expect(new Set(curated.map(({ id }) => id)).size).toBe(5);
});
