// Every list, at 20,000 rows and more: no scan of a whole table, no sort of a whole set, and no page that looks at many more rows
// than it shows; and no operation on one thing that would read a table. The statements are those that the service sent while it
// answered, with the parameters that it sent, explained on its own connections: what is proved here cannot drift from what runs.
import { operations } from "@svc/contract/operations.ts";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Connection } from "../src/kernel/db.ts";
import { newId, newSecret } from "../src/kernel/ids.ts";
import { lifecycleJobs } from "../src/lifecycle/jobs.ts";
import { sweepInvitations } from "../src/workspaces/invitation-store.ts";
import { applied, lifecycleOf } from "./lifecycle.ts";
import { loadManyRows, ROWS } from "./many-rows.ts";
import { newStep, states, statuses } from "./steps.ts";
import { newComment, newMilestone, newProject, newTask } from "./work.ts";
import { insertCredential, newKey, type Person, service, type World, world } from "./world.ts";

/** A page of 100, twice over for what is filtered away, and room for a workflow or two. */
const MOST_LOOKED_AT = 1_000;
const running = service();

interface Statement {
  sql: string;
  values: unknown[];
}
let recorded: Statement[] = [];
const send = Connection.prototype.rows;
beforeAll(() => {
  Connection.prototype.rows = function rows<R>(this: Connection, sql: string, values: unknown[] = []) {
    recorded.push({ sql, values });
    return send.call(this, sql, values) as Promise<R[]>;
  };
});
afterAll(() => {
  Connection.prototype.rows = send;
});

interface Loaded {
  home: World;
  reader: Person;
  /** Tables with so many rows that reading them is a fault. */
  large: Set<string>;
  projectId: string;
  task: { id: string; code: string; status_id: string };
  milestone: { id: string; code: string };
  /** The query strings and paths that each list is read with. */
  lists: Record<string, string[]>;
}
let loaded: Loaded;

beforeAll(async () => {
  const home = await world(running);
  const { workspaceId, owner } = home;
  const reader = await home.member("member");
  const project = await newProject(home);
  const task = await newTask(owner, project.id, { assignee_actor_id: owner.actorId });
  // Without a date it is the last of the list.
  const milestone = await newMilestone(owner, project.id);
  const { stages } = (await owner.call("GET", `/workspaces/${workspaceId}/milestone-lifecycle`)).body;
  await loadManyRows(running.databaseUrl, {
    workspaceId,
    userId: owner.userId,
    actorId: owner.actorId,
    readerUserId: reader.userId,
    readerActorId: reader.actorId,
    projectId: project.id,
    taskId: task.id,
    statusId: task.status_id,
    milestoneId: milestone.id,
  });
  const tasks = `/projects/${project.id}/tasks`;
  const [status, assignee] = [`status_id=${task.status_id}`, `assignee_actor_id=${owner.actorId}`];
  const states = ["", "&order=key", "&archived=true"].map((more) => `?state_id=${project.state_id}${more}`);
  const [inMilestone, milestones] = [`milestone_id=${milestone.id}`, `/projects/${project.id}/milestones`];
  const activity = `/workspaces/${workspaceId}/activity`;
  const today = new Date().toISOString().slice(0, 10);
  const large = "select relname as name from pg_class where relkind = 'r' and reltuples >= $1";
  loaded = {
    home,
    reader,
    large: new Set((await running.sql<{ name: string }>(large, [ROWS])).map(({ name }) => name)),
    projectId: project.id,
    task,
    milestone,
    lists: {
      listProjectTasks: [[], [inMilestone]].flatMap((narrowed) =>
        [[], [status], [assignee], [status, assignee]].map(
          (filters) =>
            `${tasks}${[...narrowed, ...filters].map((filter, index) => (index === 0 ? "?" : "&") + filter).join("")}`,
        ),
      ),
      listMilestones: [milestones, `${milestones}?stage_id=${stages[1].id}`],
      listProjectActivity: ["", `?day=${today}&time_zone=UTC`].map((day) => `/projects/${project.id}/activity${day}`),
      listTaskComments: [`/tasks/${task.id}/comments`],
      listProjects: ["", "?order=key", "?archived=true", "?archived=true&order=key", ...states].map(
        (query) => `/workspaces/${workspaceId}/projects${query}`,
      ),
      listProjectMembers: [`/projects/${project.id}/members`],
      listWorkspaceStatuses: [`/workspaces/${workspaceId}/statuses`],
      listProjectStatuses: [`/projects/${project.id}/statuses`],
      listProjectStates: [`/workspaces/${workspaceId}/project-states`],
      listMembers: [`/workspaces/${workspaceId}/members`],
      listInvitations: [`/workspaces/${workspaceId}/invitations`],
      listMcpServiceCredentials: [`/workspaces/${workspaceId}/mcp-service-credentials`],
      listWorkspaces: ["/workspaces"],
      listApiTokens: ["/me/api-tokens"],
      listIdentities: ["/me/identities"],
      listPasskeys: ["/auth/passkeys"],
      listMcpGrants: ["/me/mcp/grants"],
      listDeveloperWorkspaces: ["/dev/workspaces"],
      listSessions: ["/me/sessions"],
      listMobileCredentials: ["/me/mobile-credentials"],
      listPersonActivity: [owner, reader].map(({ userId }) => `/workspaces/${workspaceId}/people/${userId}/activity`),
      listWorkspaceActivity: [activity, `${activity}?day=${today}&time_zone=UTC`],
    },
  };
}, 120_000);

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** A parameter as the driver would send it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Buffer.isBuffer(value)) return `'\\x${value.toString("hex")}'`;
  if (value instanceof Date) return literal(value.toISOString());
  if (Array.isArray(value)) return literal(`{${value.map((item) => JSON.stringify(item)).join(",")}}`);
  return pg.escapeLiteral(typeof value === "object" ? JSON.stringify(value) : String(value));
}

let explained = 0;
/** The generic plan for the values that were sent, run with them where it only reads. */
async function explain(
  { sql, values }: Statement,
  workspaceId: string,
  how = "analyze, ",
  on?: Connection,
): Promise<Plan[]> {
  if (!on) return running.database.reader.use((tx) => explain({ sql, values }, workspaceId, how, tx));
  const run = <R>(text: string) => send.call(on, text, []) as Promise<R[]>;
  await run(`select set_config('svc.workspace', '${workspaceId}', false)`);
  const name = `explained_${++explained}`;
  await run(`prepare ${name} as ${sql}`);
  const sent = values.length > 0 ? `(${values.map(literal).join(", ")})` : "";
  const rows = await run<{ "QUERY PLAN": [{ Plan: Plan }] }>(`explain (${how}format json) execute ${name}${sent}`);
  return rows.flatMap((row) => nodesOf(row["QUERY PLAN"][0].Plan));
}

/**
 * The same of a statement that may write: run once more as the owner, and undone. What cannot be run again, because what it inserts is
 * there already, is only planned.
 */
async function explainUndone(statement: Statement): Promise<Plan[]> {
  const { workspaceId, owner } = loaded.home;
  const known = { workspace: workspaceId, actor: owner.actorId, role: "owner", account: owner.userId };
  const settings = Object.entries(known).map(([name, value]) => `set_config('svc.${name}', '${value}', true)`);
  try {
    return await running.database.writer.use(async (tx) => {
      await tx.begin();
      await send.call(tx, `select ${settings.join(", ")}`, []);
      return explain(statement, workspaceId, "analyze, ", tx);
    });
  } catch {
    return explain(statement, workspaceId, "");
  }
}

/** What is wrong with a plan for one page, in words. Of what counts, up to its own bound, only what it looks at in vain. */
function faultsOf(nodes: Plan[], sql = ""): string[] {
  const counts = /\bcount\(\*\)/.test(sql);
  return nodes.flatMap((node) => {
    const looked = ((counts ? 0 : node["Actual Rows"]) + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
    const name = `${node["Node Type"]} ${node["Relation Name"] ?? ""}`;
    if (node["Node Type"] === "Seq Scan" && loaded.large.has(node["Relation Name"] ?? "")) return [`${name} reads all`];
    return looked > MOST_LOOKED_AT ? [`${name} looks at ${looked} rows`] : [];
  });
}

const pageOf = operations.values().filter((operation) => operation.kind === "page");
for (const { id, auth, errors } of pageOf) {
  test(`${id} reads what it shows and little more, on the first page and further on`, async () => {
    const { home, reader, lists } = loaded;
    expect(Object.keys(lists), "a list without a line here").toContain(id);
    // Some are for those who manage, and for nobody else.
    const readers = errors?.includes("forbidden") ? [home.owner] : [home.owner, reader];
    for (const path of lists[id] as string[])
      for (const person of readers) await expectShort(auth.includes("S") ? person : await asDeveloper(person), path);
  });
}

/** The same person with a developer client's token, for lists that no session reads. */
async function asDeveloper(person: Person): Promise<Person> {
  const token = newSecret("dat");
  await insertCredential(running, "developer", token, person.userId, loaded.home.workspaceId, []);
  return { ...person, call: (method, path, options) => person.bearer(token, method, path, options) };
}

async function expectShort(person: Person, path: string) {
  let cursor = "";
  for (const page of ["first", "second"]) {
    recorded = [];
    const answer = await person.call("GET", `${path}${path.includes("?") ? "&" : "?"}limit=20${cursor}`);
    const statements = recorded;
    expect([answer.status, answer.trips]).toEqual([200, 1]);
    for (const statement of statements) {
      const nodes = await explain(statement, loaded.home.workspaceId);
      expect(faultsOf(nodes), `${page} page of ${path}: ${statement.sql}`).toEqual([]);
    }
    if (!answer.body.has_more) return;
    cursor = `&cursor=${encodeURIComponent(answer.body.next_cursor)}`;
  }
}

test("an operation on one thing finds everything that it touches by an index", async () => {
  const { home, projectId, task } = loaded;
  const { workspaceId, owner } = home;
  recorded = [];
  const { id } = await newTask(owner, projectId, { assignee_actor_id: owner.actorId });
  await owner.call("PATCH", `/tasks/${id}`, { body: { assignee_actor_id: owner.actorId }, ifMatch: "1" });
  const body = { status_id: (await owner.call("GET", `/tasks/${task.id}`)).body.status_id, title: "Changed" };
  const changed = { ...body, assignee_actor_id: null, description_markdown: "Changed" };
  const comment = await newComment(owner, id);
  const answers = [
    await owner.call("PATCH", `/tasks/${id}`, { body: changed, ifMatch: "2" }),
    await owner.call("GET", `/workspaces/${workspaceId}/tasks/${task.code}`),
    await owner.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Changed" }, ifMatch: "1" }),
    await owner.call("PUT", `/comments/${comment.id}/reactions/heart`),
    await owner.call("DELETE", `/comments/${comment.id}/reactions/heart`),
    await owner.call("DELETE", `/comments/${comment.id}`),
    await owner.call("PATCH", `/projects/${projectId}`, { body: { name: "Changed" }, ifMatch: "1" }),
    await owner.call("GET", `/workspaces/${workspaceId}/people/${owner.userId}`),
    await owner.call("GET", `/workspaces/${workspaceId}/people/${owner.userId}/profile-picture/content`),
    await owner.call("DELETE", "/me/profile-picture"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 204, 204, 200, 200, 404, 204]);
  const statements = new Map(recorded.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(20);
  for (const statement of statements.values())
    expect(faultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("a lifecycle migration reads no more of the Tasks than a page at a time", async () => {
  const { home, task } = loaded;
  const tasks = await lifecycleOf(running, home, "task");
  recorded = [];
  const { status, body } = await applied(home, tasks, { [task.status_id]: tasks.ids.Backlog as string });
  expect(status).toBe(202);
  const jobs = lifecycleJobs(running.database, { pageSize: 250, turnMs: 0 });
  const ending = { abortSignal: AbortSignal.abort() } as never;
  await jobs.migrate_lifecycle?.({ workspace_id: home.workspaceId, id: body.id }, ending);
  const statements = new Map(recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect(faultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
  const { sql, values } = statements.values().find((each) => each.sql.includes("task.status_changed")) as Statement;
  // The next page, whose events have ids of their own.
  const page = { sql, values: [...values.slice(0, -1), Array.from({ length: 250 }, newId)] };
  const nodes = await running.database.writer.use(async (tx) => {
    await tx.begin();
    return explain(page, home.workspaceId, "analyze, ", tx);
  });
  expect(faultsOf(nodes)).toEqual([]);
  expect(nodes.some((node) => node["Node Type"] === "LockRows" && node["Actual Rows"] === 250)).toBe(true);
  await running.sql("update lifecycle_migrations set state = 'completed'", [], home.workspaceId);
});

test("a Milestone, what is in it and the overview of its Project are found by an index", async () => {
  const { home, projectId, task, milestone } = loaded;
  const { workspaceId, owner } = home;
  recorded = [];
  const { id } = await newMilestone(owner, projectId);
  await newTask(owner, projectId, { milestone_id: milestone.id, assignee_actor_id: owner.actorId });
  const stages = `/workspaces/${workspaceId}/milestone-lifecycle`;
  const lifecycle = (await owner.call("GET", stages)).body;
  const kept = lifecycle.stages.map(({ id, name, category }: Record<string, string>) => ({ id, name, category }));
  const answers = [
    await owner.call("PATCH", `/tasks/${task.id}`, { body: { milestone_id: id }, headers: { "if-match": "*" } }),
    await owner.call("GET", `/milestones/${milestone.id}`),
    await owner.call("GET", `/projects/${projectId}/milestones/by-code/${milestone.code}`),
    await owner.call("PATCH", `/milestones/${milestone.id}`, { body: { stage_id: kept[2].id }, ifMatch: "1" }),
    await owner.call("DELETE", `/milestones/${id}`),
    await owner.call("PUT", stages, { body: { stages: kept.slice(0, 3) }, ifMatch: lifecycle.revision }),
    await owner.call("GET", `/projects/${projectId}/overview`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 204, 200, 200]);
  const statements = new Map(recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect(faultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("Statuses and lifecycles are changed and read without looking at the work or at other Projects' Statuses", async () => {
  const { home, projectId } = loaded;
  const { workspaceId, owner } = home;
  recorded = [];
  const [wide, next] = [await newStep(home, statuses), await newStep(home, statuses)];
  const own = await newStep(home, statuses, {}, `/projects/${projectId}/statuses`);
  const state = await newStep(home, states);
  const answers = [
    await owner.call("GET", `/statuses/${wide.id}/lifecycle-preview?category=completed`),
    await owner.call("PATCH", `/statuses/${wide.id}`, { body: { category: "backlog" }, ifMatch: "1" }),
    await owner.call("POST", `/statuses/${own.id}/move`, { body: { after_id: null } }),
    await owner.call("POST", `/statuses/${own.id}/archive-and-replace`, { body: { replacement_id: next.id } }),
    await owner.call("DELETE", `/statuses/${wide.id}`),
    await owner.call("DELETE", `/project-states/${state.id}`),
    await owner.call("GET", `/workspaces/${workspaceId}/lifecycle-definitions`),
    await owner.call("GET", `/workspaces/${workspaceId}/project-lifecycle`),
    await owner.call("PATCH", `/workspaces/${workspaceId}/project-lifecycle`, {
      body: { default_state_id: null },
      headers: { "if-match": "*" },
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 204, 204, 200, 200, 200]);
  const statements = new Map(recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect(faultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("a Project's order, members, policy, public page and shortcuts are found by an index", async () => {
  const { home, reader, projectId } = loaded;
  const { workspaceId, owner } = home;
  const path = `/projects/${projectId}`;
  const any = { headers: { "if-match": "*" } };
  const [first] = (await owner.call("GET", `/workspaces/${workspaceId}/projects?limit=1`)).body.items;
  recorded = [];
  const { public_id } = (await owner.call("PATCH", path, { body: { published: true }, ...any })).body;
  const answers = [
    await owner.call("POST", `${path}/move`, { body: { after_id: first.id } }),
    await owner.call("POST", `${path}/move`, { body: { after_id: null } }),
    await owner.call("POST", `${path}/members`, { body: { actor_id: reader.actorId, role: "viewer" } }),
    await owner.call("PATCH", `${path}/members/${reader.actorId}`, { body: { role: "member" }, ifMatch: "1" }),
    await owner.call("DELETE", `${path}/members/${reader.actorId}`),
    await owner.call("PUT", `${path}/completion-policy`, { body: { review_required: true }, ...any }),
    await owner.call("GET", `${path}/completion-policy`),
    await owner.call(
      "GET",
      `/workspaces/${workspaceId}/lifecycle-completion-targets?kind=task&project_id=${projectId}`,
    ),
    await owner.call("PUT", `/workspaces/${workspaceId}/project-shortcuts`, {
      body: { project_ids: [projectId] },
      ...any,
    }),
    await running.send("GET", `/public/projects/${public_id}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200, 204, 200, 200, 200, 200, 200]);
  const statements = new Map(recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect(faultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("memberships and invitations are found by an index too", async () => {
  const { home, reader } = loaded;
  const { workspaceId, owner } = home;
  const find = "select id from memberships where workspace_id = $1 and user_id = $2";
  const [membership] = await running.sql<{ id: string }>(find, [workspaceId, reader.userId]);
  const [member, invitations] = [
    `/workspaces/${workspaceId}/members/${membership?.id}`,
    `/workspaces/${workspaceId}/invitations`,
  ];
  const invite = (email: string) => owner.call("POST", invitations, { body: { email, role: "member" } });
  const newcomer = await (await world(running)).member("member");
  recorded = [];
  const first = await invite("somebody@example.com");
  const again = await owner.call("POST", `${invitations}/${first.body.id}/resend`, { key: newKey() });
  const joining = await invite(newcomer.email);
  const answers = [
    ...[first, again, joining],
    await owner.call("DELETE", `${invitations}/${again.body.id}`),
    await newcomer.call("POST", "/invitations/accept", { body: { token: joining.body.token } }),
    await owner.call("PATCH", member, { body: { state: "suspended" }, ifMatch: "1" }),
    await owner.call("DELETE", member),
    await owner.call("POST", `/workspaces/${workspaceId}/members`, { body: { user_id: reader.userId } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 204, 201, 200, 204, 201]);
  const statements = new Map(recorded.map((statement) => [statement.sql, statement]));
  await running.database.writer.use(sweepInvitations);
  for (const statement of [...statements.values(), ...recorded.slice(-2)])
    expect(faultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("a statement without an index is caught", async () => {
  const { workspaceId, owner } = loaded.home;
  const values = [workspaceId, owner.actorId];
  const scan = {
    sql: "select * from tasks where workspace_id = $1 and created_by_actor_id = $2 and title = ''",
    values,
  };
  const sort = {
    sql: "select * from tasks where workspace_id = $1 and title <> $2::text order by title limit 5",
    values,
  };
  for (const statement of [scan, sort]) expect(faultsOf(await explain(statement, workspaceId))).not.toEqual([]);
});
