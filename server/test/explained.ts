// What the explain tests stand on: the service with 20,000 rows and more of everything, every statement that it sends,
// and how PostgreSQL answers each of them.
import type { AnyOperation } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { Connection } from "../src/platform/database/db.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { groupLists } from "./explained-activity.ts";
import { documentLists, firstDocument } from "./explained-documents.ts";
import { fixtures } from "./fixtures.ts";
import { firstBinding, integrationLists } from "./many-integrations.ts";
import { ROWS } from "./many-rows.ts";
import { LOADING_MS, manyRowsDatabase } from "./many-rows-database.ts";
import { homeIn, pathOf, ready } from "./stage.ts";
import { type Person, personOf, service, type World, world } from "./world.ts";

/** Of the recorded time about a thirtieth. */
export const WINTER = "from=2020-01-01&to=2020-02-29";
/** A page of 100, twice over for what is filtered away, and room for a workflow or two. */
const MOST_LOOKED_AT = 1_000;
/** Of each table for each row that is returned. Whoever needs more says so in the statement: see `stated`. */
const FACTOR = 10;
export interface Statement {
  sql: string;
  values: unknown[];
}
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

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
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

/**
 * Statements of background work that run meanwhile: the last use of a credential, journal marks, the probe of writes.
 */
const NOTED = /^\s*update credentials set last_used_at|^\s*\/\* background \*\/|journal_marks/;
const send = Connection.prototype.rows;
let explained = 0;
/** Run, and counted: not timed, and without the pages that were read. */
export const COUNTED = "analyze, timing off, buffers off, ";

let shared: ReturnType<typeof start> | undefined;
/** The same for every part of a test file, so that the rows are loaded once. */
export function explaining() {
  shared ??= start();
  return shared;
}

const removed = (node: Plan) =>
  ((node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Join Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0)) *
  node["Actual Loops"];

/**
 * How many rows a statement says that it may read for each that it returns: `/* reads up to 800: why *\/`, or as many
 * as it adds up.
 */
function stated(sql: string): number | null {
  if (/\/\* reads all that it adds up:/.test(sql)) return Number.POSITIVE_INFINITY;
  const most = /\/\* reads up to (\d+):/.exec(sql)?.[1];
  return most === undefined ? null : Number(most);
}

/**
 * A statement that reads many more rows than it returns: from its tables, and those that its joins and filters throw
 * away.
 */
function excessOf(nodes: Plan[], sql: string): string[] {
  const scans = nodes.filter((node) => node["Relation Name"] !== undefined && node["Actual Loops"] > 0);
  const read = (node: Plan) => (node["Relation Name"] ? node["Actual Rows"] * node["Actual Loops"] : 0) + removed(node);
  const all = nodes.reduce((sum, node) => sum + read(node), 0);
  const returned = Math.max(1, nodes[0]?.["Actual Rows"] ?? 1);
  const limit = returned * (stated(sql) ?? FACTOR * scans.length);
  // What is only planned was not run.
  if (Number.isNaN(all) || all <= limit) return [];
  const worst = nodes.toSorted((a, b) => read(b) - read(a)).slice(0, 3);
  const named = worst.map((node) => `${node["Node Type"]} ${node["Relation Name"] ?? ""} ${read(node)}`);
  return [`reads ${all} rows for ${returned} returned, and may read ${limit}: ${named.join(", ")}`];
}

/** What it has `seen` is the statements sent since it was last emptied, and what was loaded. */
function start() {
  const database = manyRowsDatabase();
  const running = service({}, {}, undefined, database.open);
  const seen = { recorded: [] as Statement[], loaded: {} as Loaded };
  beforeAll(() => {
    Connection.prototype.rows = function rows<R>(this: Connection, sql: string, values: unknown[] = []) {
      if (!NOTED.test(sql)) seen.recorded.push({ sql, values });
      return send.call(this, sql, values) as Promise<R[]>;
    };
  });
  afterAll(() => {
    Connection.prototype.rows = send;
  });

  beforeAll(async () => {
    const made = await database.rowsOf(running);
    const home = await world(running, made);
    const { workspaceId, owner } = home;
    const { project, task, milestone, today } = made;
    const reader = personOf(running, made.reader);
    const { stages } = (await owner.call("GET", `/workspaces/${workspaceId}/milestone-lifecycle`)).body;
    const tasks = `/projects/${project.id}/tasks`;
    const [status, assignee] = [`status_id=${task.status_id}`, `assignee_actor_id=${owner.actorId}`];
    const [inMilestone, milestones] = [`milestone_id=${milestone.id}`, `/projects/${project.id}/milestones`];
    const year = (name: string) => [`${name}_after=2026-01-01T00:00:00Z`, `${name}_before=2026-01-01T00:00:00Z`];
    /** Filters that no index leads, each in a list of its own. */
    const narrowing = [
      ...[`${status},${newId()}`, `status_id=!${task.status_id}`, "category=!completed,cancelled", "priority=low,high"],
      ...[`${assignee},none`, `assignee_actor_id=!${owner.actorId}`, "milestone_id=!none", `${inMilestone},${newId()}`],
      ...[`label_id=${newId()},${newId()}`, "label_id=none", `label_ids_all=${newId()},${newId()}`, "due=!none"],
      ...["start_after=2026-01-01", "start_before=2026-01-01", ...year("created"), ...year("completed")],
      ...["updated_before=2026-01-01T00:00:00Z", "updated_before=2026-01-01T00:00:00Z&order=asc", "sort=due&due=week"],
      ...["sort=due&order=desc&due_before=2027-01-01", "sort=due&order=desc&due_after=2026-03-01"],
    ];
    const states = ["", "&order=key", "&archived=true"].map((more) => `?state_id=${project.state_id}${more}`);
    const activity = `/workspaces/${workspaceId}/activity`;
    const large = "select relname as name from pg_class where relkind = 'r' and reltuples >= $1";
    const RUN =
      "select agent_id, id from agent_runs where workspace_id = $1 and initiator_actor_id = $2 order by id limit 1";
    const own = [workspaceId, owner.actorId];
    const [ofAgent] = await running.sql<{ agent_id: string; id: string }>(RUN, own, workspaceId);
    seen.loaded = {
      home,
      reader,
      large: new Set((await running.sql<{ name: string }>(large, [ROWS])).map(({ name }) => name)),
      projectId: project.id,
      task,
      milestone,
      lists: {
        ...(await documentLists(running, workspaceId, project)),
        listProjectTasks: [[], [inMilestone]]
          .flatMap((narrowed) =>
            [[], [status], [assignee], [status, assignee]].map((filters) => [...narrowed, ...filters].join("&")),
          )
          .concat(["sort=title", "sort=title&order=desc", "order=asc", "sort=updated", "sort=priority", "trashed=true"])
          .concat(...narrowing)
          .map((query) => (query === "" ? tasks : `${tasks}?${query}`)),
        listWorkspaceTasks: ["sort=updated", "sort=created", "sort=due", "sort=priority", "sort=title"]
          .flatMap((sort) =>
            [
              ["", `project_id=${project.id}`, status, assignee, inMilestone, `created_by_actor_id=${owner.actorId}`],
              ["assignee_actor_id=none", "category=cancelled", "priority=high", "text=19999", `label_id=${newId()}`],
              ["due_before=2026-02-01", "due_after=2027-02-01", "updated_since=2026-01-01T00:00:00Z", "order=asc"],
            ]
              .flat()
              .map((filter) => [sort, filter].filter(Boolean).join("&")),
          )
          .concat(...narrowing, `project_id=${project.id},${newId()}`, "sort=title&order=desc")
          .concat(["trashed=true", `sort=position&project_id=${project.id}&${status}`])
          .map((query) => `/workspaces/${workspaceId}/tasks?${query}`),
        listMyWork: ["assigned", "created", "reviewing", "delegated", "due_soon", "completed"].map(
          (view) => `/workspaces/${workspaceId}/work?view=${view}`,
        ),
        search: [
          "q=task",
          "q=task%2012",
          "q=tasc",
          "q=comment%20199&type=comment",
          `q=task&project_id=${project.id}`,
          `q=${task.code}`,
          "q=document&type=document",
          "q=document%2012",
        ].map((query) => `/workspaces/${workspaceId}/search?${query}`),
        listMilestones: [milestones, `${milestones}?stage_id=${stages[1].id}`],
        listProjectActivity: ["", `?day=${today}&time_zone=UTC`].map((day) => `/projects/${project.id}/activity${day}`),
        listTaskActivity: [`/tasks/${task.id}/activity`, `/tasks/${task.id}/activity?day=${today}&time_zone=UTC`],
        listTaskComments: ["", "?order=desc"].map((query) => `/tasks/${task.id}/comments${query}`),
        listInbox: [
          "",
          "?state=unread",
          "?state=archived",
          "?state=all",
          "?category=assigned",
          "?category=mentioned",
          "?state=read&category=commented",
        ].map((query) => `/workspaces/${workspaceId}/inbox${query}`),
        listSubscribedTasks: ["", "?state=muted"].map((state) => `/workspaces/${workspaceId}/subscribed-tasks${state}`),
        listProjects: ["", "?order=key", "?archived=true", "?archived=true&order=key", ...states].map(
          (query) => `/workspaces/${workspaceId}/projects${query}`,
        ),
        listProjectMembers: ["", "?role=lead", "?q=p", "?q=p&role=lead"].map(
          (query) => `/projects/${project.id}/members${query}`,
        ),
        listWorkspaceLabels: ["", "?purpose=task"].map(
          (query) => `/workspaces/${workspaceId}/label-definitions${query}`,
        ),
        listProjectLabels: ["", "?include_hidden=true"].map(
          (query) => `/projects/${project.id}/label-definitions${query}`,
        ),
        listCliProjectTasks: [`/cli/projects/${project.key}/tasks`],
        listCliTaskComments: ["", "?order=desc"].map((query) => `/cli/tasks/${task.code}/comments${query}`),
        searchCli: ["q=task", `q=task&project_code=${project.key}`, "q=document&resource_type=document"].map(
          (query) => `/cli/search?${query}`,
        ),
        listMembers: ["", "?role=owner,admin", "?state=suspended,left&role=viewer", "?q=p", "?q=p&role=owner"].map(
          (query) => `/workspaces/${workspaceId}/members${query}`,
        ),
        // The log is that of the endpoint with the Project's id (many-rows.ts).
        listWebhookDeliveries: ["", "?state=failed"].map(
          (query) => `/webhook-endpoints/${project.id}/deliveries${query}`,
        ),
        listPersonActivity: [owner, reader].map(({ userId }) => `/workspaces/${workspaceId}/people/${userId}/activity`),
        listProjectTimeByTask: [`/projects/${project.id}/time-task-breakdown?${WINTER}`],
        listProjectTimeByContributor: [`/projects/${project.id}/time-contributor-breakdown?${WINTER}`],
        listProjectTimeTaskEntries: [
          `/projects/${project.id}/time-task-entries?task_id=${task.id}&from=2020-01-01&to=2020-12-31`,
        ],
        listChangeSets: [`/workspaces/${workspaceId}/change-sets?state=open`, `/workspaces/${workspaceId}/change-sets`],
        listDiscussMessages: ["", "?order=asc"].map((query) => `/workspaces/${workspaceId}/discuss/messages${query}`),
        searchDiscussMessages: ["said", "said%201999", "nothing"].map(
          (words) => `/workspaces/${workspaceId}/discuss/messages/search?q=${words}`,
        ),
        listAgentRuns: ["", "?state=completed"].map(
          (query) => `/workspaces/${workspaceId}/agents/${ofAgent?.agent_id}/runs${query}`,
        ),
        listAgentRunActions: [`/workspaces/${workspaceId}/agents/${ofAgent?.agent_id}/runs/${ofAgent?.id}/actions`],
        listAgentRunOutputs: [`/workspaces/${workspaceId}/agents/${ofAgent?.agent_id}/runs/${ofAgent?.id}/outputs`],
        listStudioDefinitions: ["", "?state=draft"].map(
          (query) => `/workspaces/${workspaceId}/agents/studio/definitions${query}`,
        ),
        listAgentRequests: ["", "?state=pending"].map(
          (query) => `/workspaces/${workspaceId}/agents/studio/definitions/${project.id}/requests${query}`,
        ),
        ...integrationLists(project.id, await firstBinding(running, workspaceId, project.id)),
        listReminders: ["", "?state=all", "?state=completed"].map(
          (query) => `/workspaces/${workspaceId}/discuss/reminders${query}`,
        ),
        listTimesheet: [`/timesheets/me?${WINTER}`],
        listWorkspaceActivity: [activity, `${activity}?day=${today}&time_zone=UTC`],
        ...(await groupLists(running, { workspaceId, owner, taskId: task.id })),
      },
    };
    const [label] = (await owner.call("GET", `/workspaces/${workspaceId}/label-definitions?limit=1`)).body.items;
    const crowded = {
      ...{ workspace_id: workspaceId, project_id: project.id, task_id: task.id, milestone_id: milestone.id },
      ...{ label_id: label.id, document_id: await firstDocument(running, workspaceId) },
    };
    const { lists } = seen.loaded;
    for (const operation of operations.values())
      if (operation.kind === "page" && !(operation.id in lists)) {
        const address = await plainAddress(operation, crowded).catch(() => null);
        if (address !== null) lists[operation.id] = [address];
      }
  }, LOADING_MS);

  /**
   * A list without a line above: of what has many rows, or of what its fixture makes, if that can be made in a crowded
   * Workspace.
   */
  async function plainAddress(operation: AnyOperation, crowded: Record<string, string>): Promise<string> {
    if (operation.params.every((name) => name in crowded)) return pathOf(operation, crowded);
    const home = await homeIn(running, {}, seen.loaded.home);
    const call = await ready({ fixtures, home }, operation);
    return pathOf(operation, call.ids) + call.query;
  }

  /** The generic plan for the values that were sent, run with them where it only reads. */
  async function explain(
    { sql, values }: Statement,
    workspaceId: string,
    how = COUNTED,
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
   * The same of a statement that may write: run once more as the owner, and undone. What cannot be run again, because
   * what it inserts is there already, is only planned.
   */
  async function explainUndone(statement: Statement): Promise<Plan[]> {
    const { workspaceId, owner } = seen.loaded.home;
    const known = { workspace: workspaceId, actor: owner.actorId, role: "owner", account: owner.userId };
    const settings = Object.entries(known).map(([name, value]) => `set_config('svc.${name}', '${value}', true)`);
    try {
      return await running.database.writer.use(async (tx) => {
        await tx.begin();
        await send.call(tx, `select ${settings.join(", ")}`, []);
        return explain(statement, workspaceId, COUNTED, tx);
      });
    } catch {
      return explain(statement, workspaceId, "");
    }
  }

  /** The same of background work, which acts as the owner of the tables. */
  async function explainOwned(sql: string): Promise<Plan[]> {
    const client = new pg.Client(running.databaseUrl);
    await client.connect();
    try {
      await client.query("begin; set local session authorization svc_owner; set local svc.owner = 'on'");
      const { rows } = await client.query(`explain (${COUNTED}format json) ${sql}`);
      return rows.flatMap((row) => nodesOf(row["QUERY PLAN"][0].Plan));
    } finally {
      await client.end();
    }
  }

  /**
   * How PostgreSQL answers what a statement asks within the functions that it calls, of which its own plan shows
   * nothing: auto_explain tells it, statement by statement. On a connection set up like the service's own, and undone.
   */
  async function explainInside({ sql, values }: Statement): Promise<{ sql: string; nodes: Plan[] }[]> {
    const { workspaceId, owner } = seen.loaded.home;
    const known = { workspace: workspaceId, actor: owner.actorId, role: "owner", account: owner.userId };
    const client = new pg.Client(running.databaseUrl);
    const told: { sql: string; nodes: Plan[] }[] = [];
    await client.connect();
    try {
      await client.query("load 'auto_explain'");
      const settings = {
        ...{ plan_cache_mode: "force_generic_plan", enable_seqscan: "off", enable_mergejoin: "off" },
        "auto_explain.log_level": "notice",
        ...{ "auto_explain.log_nested_statements": "on", "auto_explain.log_analyze": "on" },
        ...{ "auto_explain.log_format": "json", "auto_explain.log_min_duration": "0" },
        "auto_explain.log_timing": "off",
        ...Object.fromEntries(Object.entries(known).map(([name, value]) => [`svc.${name}`, value])),
      };
      await client.query("begin");
      for (const setting of Object.entries(settings)) await client.query("select set_config($1, $2, true)", setting);
      await client.query("set local session authorization svc_owner; set local role svc_app");
      client.on("notice", ({ message = "" }) => {
        if (!message.includes("plan:")) return;
        const { "Query Text": text, Plan: plan } = JSON.parse(message.slice(message.indexOf("{")));
        told.push({ sql: text, nodes: nodesOf(plan) });
      });
      await client.query(sql, values);
      await client.query("rollback");
      return told;
    } finally {
      await client.end();
    }
  }

  /**
   * What is wrong with a plan for one page, in words. Of what counts, up to its own bound, only what it looks at in
   * vain.
   */
  function faultsOf(nodes: Plan[], sql = "", most = MOST_LOOKED_AT): string[] {
    const counts = /\bcount\(\*\)/.test(sql);
    return nodes.flatMap((node) => {
      const looked =
        ((counts ? 0 : node["Actual Rows"]) + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
      const name = `${node["Node Type"]} ${node["Relation Name"] ?? ""}`;
      if (node["Node Type"] === "Seq Scan" && seen.loaded.large.has(node["Relation Name"] ?? ""))
        return [`${name} reads all`];
      return looked > most ? [`${name} looks at ${looked} rows`] : [];
    });
  }
  /** The same, and where it reads many more rows than it returns. */
  const allFaultsOf = (nodes: Plan[], sql: string) => {
    const far = faultsOf(nodes, sql);
    return far.length > 0 ? far : excessOf(nodes, sql);
  };

  return { running, seen, explain, explainUndone, explainOwned, explainInside, faultsOf, allFaultsOf };
}
