// Every list, at 20,000 rows and more: no scan of a whole table, no sort of a whole set, and no page that looks at many more rows
// than it shows; and no operation on one thing that would read a table. The statements are those that the service sent while it
// answered, with the parameters that it sent, explained on its own connections: what is proved here cannot drift from what runs.
import { operations } from "@svc/contract/operations.ts";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Connection } from "../src/kernel/db.ts";
import { newSecret } from "../src/kernel/ids.ts";
import { loadManyRows, ROWS } from "./many-rows.ts";
import { newComment, newProject, newTask } from "./work.ts";
import { insertCredential, type Person, service, type World, world } from "./world.ts";

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
  task: { id: string; code: string };
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
  await loadManyRows(running.databaseUrl, {
    workspaceId,
    userId: owner.userId,
    actorId: owner.actorId,
    readerUserId: reader.userId,
    readerActorId: reader.actorId,
    projectId: project.id,
    taskId: task.id,
    statusId: task.status_id,
  });
  const tasks = `/projects/${project.id}/tasks`;
  const [status, assignee] = [`status_id=${task.status_id}`, `assignee_actor_id=${owner.actorId}`];
  const activity = `/workspaces/${workspaceId}/activity`;
  const today = new Date().toISOString().slice(0, 10);
  const large = "select relname as name from pg_class where relkind = 'r' and reltuples >= $1";
  loaded = {
    home,
    reader,
    large: new Set((await running.sql<{ name: string }>(large, [ROWS])).map(({ name }) => name)),
    projectId: project.id,
    task,
    lists: {
      listProjectTasks: [tasks, `${tasks}?${status}`, `${tasks}?${assignee}`, `${tasks}?${status}&${assignee}`],
      listTaskComments: [`/tasks/${task.id}/comments`],
      listProjects: [`/workspaces/${workspaceId}/projects`],
      listWorkspaceStatuses: [`/workspaces/${workspaceId}/statuses`],
      listProjectStatuses: [`/projects/${project.id}/statuses`],
      listMembers: [`/workspaces/${workspaceId}/members`],
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

/** The generic plan for the values that were sent, run with them where it only reads. */
async function explain({ sql, values }: Statement, workspaceId: string, how = "analyze, "): Promise<Plan[]> {
  return running.database.reader.use(async (tx) => {
    const run = <R>(text: string) => send.call(tx, text, []) as Promise<R[]>;
    await run(`select set_config('svc.workspace', '${workspaceId}', false)`);
    await run(`prepare explained as ${sql}`);
    try {
      const sent = values.length > 0 ? `(${values.map(literal).join(", ")})` : "";
      const rows = await run<{ "QUERY PLAN": [{ Plan: Plan }] }>(
        `explain (${how}format json) execute explained${sent}`,
      );
      return rows.flatMap((row) => nodesOf(row["QUERY PLAN"][0].Plan));
    } finally {
      await run("deallocate explained");
    }
  });
}

/** What is wrong with a plan for one page, in words. */
function faultsOf(nodes: Plan[]): string[] {
  return nodes.flatMap((node) => {
    const looked = (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
    const name = `${node["Node Type"]} ${node["Relation Name"] ?? ""}`;
    if (node["Node Type"] === "Seq Scan" && loaded.large.has(node["Relation Name"] ?? "")) return [`${name} reads all`];
    return looked > MOST_LOOKED_AT ? [`${name} looks at ${looked} rows`] : [];
  });
}

const pageOf = operations.values().filter((operation) => operation.kind === "page");
for (const { id, auth } of pageOf) {
  test(`${id} reads what it shows and little more, on the first page and further on`, async () => {
    const { home, reader, lists } = loaded;
    expect(Object.keys(lists), "a list without a line here").toContain(id);
    for (const path of lists[id] as string[])
      for (const person of [home.owner, reader])
        await expectShort(auth.includes("S") ? person : await asDeveloper(person), path);
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
  const body = { status_id: (await owner.call("GET", `/tasks/${task.id}`)).body.status_id, title: "Changed" };
  const changed = { ...body, assignee_actor_id: null, description_markdown: "Changed" };
  const comment = await newComment(owner, id);
  const answers = [
    await owner.call("PATCH", `/tasks/${id}`, { body: changed, ifMatch: "1" }),
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
    expect(faultsOf(await explain(statement, workspaceId, "")), statement.sql).toEqual([]);
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
