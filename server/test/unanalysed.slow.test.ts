// Statements that look up one row by its id, while the database has no statistics of the table, and with those of a
// quiet hour, when nothing was open: the row is found by its id, and not among all that a partial index has of the
// Workspace. Plans are looked at, and not how long they take.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as agents from "../src/assistant/agents/execution/run-store.ts";
import * as discuss from "../src/assistant/discuss/answers/run-store.ts";
import { resolve } from "../src/assistant/discuss/attachments/reference-store.ts";
import { cancelRun } from "../src/assistant/discuss/store.ts";
import type { RunStore } from "../src/assistant/runs/store.ts";
import * as actions from "../src/connect/integrations/send/action-store.ts";
import { settle } from "../src/connect/webhooks/queue-store.ts";
import { saidBy } from "../src/history/captures/evidence-store.ts";
import * as inbox from "../src/history/inbox/store.ts";
import * as links from "../src/knowledge/documents/links/store.ts";
import * as publication from "../src/knowledge/documents/publication/store.ts";
import { findDoc } from "../src/knowledge/repository/run-store.ts";
import { findRoot } from "../src/knowledge/repository/store.ts";
import { settleCredits } from "../src/knowledge/retrieval/credit-store.ts";
import { indexSource } from "../src/knowledge/retrieval/index-source.ts";
import { SHOW } from "../src/knowledge/retrieval/store.ts";
import { findMatches } from "../src/knowledge/search/store.ts";
import { attachmentJobs } from "../src/planning/attachments/jobs.ts";
import * as attachments from "../src/planning/attachments/store.ts";
import { inWorkspace } from "../src/platform/background/jobs.ts";
import { Connection, type Queries } from "../src/platform/database/db.ts";
import type { ExternalSystems, Storage } from "../src/platform/outside/external-systems.ts";
import { LAST_ID, newId } from "../src/platform/wire/ids.ts";
import { service, world } from "./world.ts";

const running = service({});
const ROWS = 20_000;

/** Of each table the columns and values of a row; $1 is the Workspace, $2 an Actor, n the number of the row. */
const rowsOf = (open: boolean): Record<string, string> => ({
  discuss_runs: `(workspace_id, id, actor_id, message_id, sequence, state, credential_id, credential_kind, input)
    select $1, uuidv7(), $2, uuidv7(), n, '${open ? "running" : "completed"}', uuidv7(), 'session', '{"kind": "turn", "metadata": []}'`,
  agent_runs: `(workspace_id, id, agent_id, definition_id, version, initiator_actor_id, trigger, state)
    select $1, uuidv7(), $2, $2, 1, $2, 'manual', '${open ? "running" : "completed"}'`,
  integration_actions: `(workspace_id, id, installation_id, resource_id, action, state, cause)
    select $1, uuidv7(), $2, $2, 'comment', '${open ? "queued" : "succeeded"}', 'event ' || n`,
  webhook_deliveries: `(workspace_id, id, endpoint_id, event_id, action, state, attempts, next_attempt_at)
    select $1, uuidv7(), $2, uuidv7(), 'task.created', ${open ? "'queued', 0, now()" : "'delivered', 1, null"}`,
  attachments: `(workspace_id, id, state, filename, content_type, size, sha256, scan_state, uploaded_by_actor_id, expires_at, completed_at)
    select $1, uuidv7(), 'stored', 'File', 'image/png', 1, sha256('1'), '${open ? "pending" : "clean"}', $2, now(), now()`,
  knowledge_credit_entries: `(workspace_id, id, state, reserved, settled, ended_at)
    select $1, uuidv7(), ${open ? "'reserved', 1, null, null::timestamptz" : "'settled', 1, 1, now()"}`,
  documents: `(workspace_id, id, depth, title, slug, path, position, created_by_actor_id, archived_at, trashed_at, trashed_with_id)
    select $1, uuidv7(), 1, 'Document ' || n, 'document-' || n, 'document-' || n, n, $2, case n % 7 when 0 then now() end,
      case n % 9 when 0 then now() end, case n % 9 when 0 then $2 end`,
  comments: `(workspace_id, id, task_id, author_actor_id, markdown) select $1, uuidv7(), $2, $2, 'Comment'`,
});
const TABLES = Object.keys(rowsOf(true));

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client(running.databaseUrl);
  await client.connect();
});
afterAll(() => client.end());

async function load(workspaceId: string, open: boolean) {
  // The rows lead nowhere.
  await client.query(`set session_replication_role = replica; truncate ${TABLES.join(", ")} cascade`);
  for (const [table, row] of Object.entries(rowsOf(open))) {
    await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
    const values = [workspaceId, newId()];
    const text = row.replace(/\$(\d)/g, (_, index) => `${client.escapeLiteral(values[index - 1] as string)}::uuid`);
    await client.query(`insert into ${table} ${text} from generate_series(1, ${ROWS}) n`);
  }
  await client.query("set session_replication_role = origin");
}

const send = Connection.prototype.rows;
/** The statements that are sent by this. */
async function sentBy(work: () => Promise<unknown>): Promise<Set<string>> {
  const sent = new Set<string>();
  Connection.prototype.rows = function rows<R>(this: Connection, sql: string, values: unknown[] = []) {
    sent.add(sql);
    return send.call(this, sql, values) as Promise<R[]>;
  };
  try {
    await work();
  } finally {
    Connection.prototype.rows = send;
  }
  return sent;
}

/** Whoever works on a run that nobody has. */
async function work(runs: RunStore, workspaceId: string) {
  const held = { workspaceId, id: newId(), fence: 1 };
  const { writer } = running.database;
  const ended = { number: 1, answered: "sealed", usage: { input: 1, output: 1 }, readOthers: false };
  expect(await runs.keepLease(writer, held)).toBeUndefined();
  await expect(runs.beginStep(writer, held, { number: 1, kind: "model", asked: "sealed" })).rejects.toThrow();
  await expect(runs.endStep(writer, held, ended)).rejects.toThrow();
  return held;
}

async function everything(workspaceId: string) {
  const { writer } = running.database;
  const within = <T>(use: (tx: Queries) => Promise<T>) => inWorkspace(writer, workspaceId, use);
  const id = newId();
  const page = { after: null, limit: 20 };

  const conversed = await work(discuss.discussRuns, workspaceId);
  await discuss.claimRun(writer, workspaceId, id);
  const said = { state: "completed", error: null, content: "", parts: [], readOthers: false } as const;
  await expect(discuss.finishRun(writer, conversed, said)).rejects.toThrow();
  await within((tx) => cancelRun(tx, id));
  const held = await work(agents.agentRuns, workspaceId);
  await agents.claimRun(writer, workspaceId, id);
  await expect(agents.keepOutputs(writer, held, [], false)).rejects.toThrow();
  await within((tx) => agents.cancelRun(tx, id));

  await within((tx) => actions.takeAction(tx, id));
  await within((tx) => actions.putOff(tx, id, 1, { uncertain: false, code: "internal", seconds: 1 }));
  await within((tx) => actions.endAction(tx, id, 1, { state: "failed", code: "internal", done: null }));
  const outcome = { error_code: null, status_code: 200, duration_ms: 1, pause: null };
  await within((tx) => settle(tx, id, id, [{ ...outcome, id, attempts: 0, state: "delivered" }]));
  await within((tx) => settleCredits(tx, id, 1));

  await within((tx) => attachments.isOpen(tx, workspaceId, id));
  await within((tx) => attachments.complete(tx, workspaceId, id, "pending"));
  await within((tx) => attachments.attach(tx, workspaceId, [id], { kind: "project", id, projectId: id }));
  const { rows } = await client.query("select id from attachments limit 1");
  const storage = { get: async () => null } as unknown as Storage;
  const jobs = attachmentJobs(running.database, { storage, scan: null } as ExternalSystems);
  for (const name of ["scan_attachment", "make_thumbnail"])
    await jobs[name]?.({ workspace_id: workspaceId, id: rows[0].id }, {} as never);

  await within((tx) => inbox.examineItems(tx, { states: ["unread"], category: null }, ["infinity", LAST_ID], 20));
  await within((tx) => resolve(tx, [{ kind: "comment", id }]));
  await within((tx) => saidBy(tx, [{ kind: "comment", resource_id: id }]));
  await within((tx) => tx.rows(SHOW, [[1]]));
  await within((tx) => findMatches(tx, { q: "word", type: "comment" }, page));
  for (const kind of ["comment", "document"] as const)
    await indexSource(running.database, storage, { workspace_id: workspaceId, kind, id, asked_at: "now" });
  await within((tx) => links.listLinks(tx, id, undefined, page));
  await within((tx) => links.listLinked(tx, "task", id, page));
  await within((tx) => publication.readPublished(tx, id, "name"));
  await within((tx) => publication.namesOutside(tx, id));
  await within((tx) => findDoc(tx, workspaceId, id));
  await within((tx) => findRoot(tx, id));
}

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Alias?: string;
  Filter?: string;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
/**
 * Looks for an id elsewhere than in the primary key: among rows that it reads, or all over an index that begins with
 * something else.
 */
function looksAround({
  "Relation Name": table = "",
  "Index Name": index,
  "Index Cond": condition,
  Alias,
  Filter,
}: Plan) {
  if (!TABLES.includes(table) || index === `${table}_pkey`) return false;
  return new RegExp(`(\\(|\\b${Alias}\\.)id = | = ${Alias}\\.id\\b`).test(`${condition} ${Filter}`);
}

async function faultsOf(sql: string): Promise<string[]> {
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(`explain (generic_plan, format json) ${sql}`);
  const nodes = rows.flatMap((row) => nodesOf(row["QUERY PLAN"][0].Plan));
  return nodes.filter(looksAround).map((node) => `${node["Index Name"]} ${node.Filter}: ${sql}`);
}

const PLAINLY =
  "select from discuss_runs where workspace_id = current_workspace() and id = $1 and state in ('queued', 'running')";
/** What of it would read a table for a row, planned as the service's own connections do. */
async function expectNoFaults(workspaceId: string, statements: Set<string>) {
  expect(statements.size).toBeGreaterThan(40);
  await client.query("begin; set local role svc_app; set local enable_seqscan = off; set local enable_mergejoin = off");
  await client.query("select set_config('svc.workspace', $1, true)", [workspaceId]);
  try {
    expect(await faultsOf(PLAINLY)).toHaveLength(1);
    for (const sql of statements) if (/\bfrom\b|\bupdate\b/.test(sql)) expect.soft(await faultsOf(sql)).toEqual([]);
  } finally {
    await client.query("rollback");
  }
}

test("a row is found by its id alone while the tables have no statistics", async () => {
  const { workspaceId } = await world(running);
  await load(workspaceId, true);
  await expectNoFaults(workspaceId, await sentBy(() => everything(workspaceId)));
});

test("and with statistics of a quiet hour, however much is open a minute later", async () => {
  const { workspaceId } = await world(running);
  await load(workspaceId, false);
  await client.query(`analyze ${TABLES.join(", ")}`);
  await expectNoFaults(workspaceId, await sentBy(() => everything(workspaceId)));
});
