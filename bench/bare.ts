// The bare limit: node:http and the same driver running the same essential SQL without checks. A read is two queries; a
// write is one transaction with task, event, audit and key rows, and the key row stores the response. It connects as
// the owner of the tables, so that row-level security costs nothing here.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { newCommentView } from "../server/src/planning/comments/view.ts";
import { taskView } from "../server/src/planning/tasks/view.ts";
import { newId, sha256 } from "../server/src/platform/wire/ids.ts";
import type { Data } from "./data.ts";

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 16,
  pipeline: true,
  options: "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c timezone=UTC",
} as pg.PoolConfig);
const names = new Map<string, string>();
function query<R extends pg.QueryResultRow>(client: pg.PoolClient, text: string, values: unknown[]) {
  let name = names.get(text);
  if (name === undefined) {
    name = `b${names.size}`;
    names.set(text, name);
  }
  return client.query<R>({ name, text, values });
}

interface Who {
  workspace_id: string;
  actor_id: string;
  user_id: string;
}
const WHO = `select c.user_id, m.workspace_id, m.actor_id, m.role from credentials c
join memberships m on m.workspace_id = c.workspace_id and m.user_id = c.user_id where c.secret_hash = $1`;
const TASK = `select ${taskView()} as json from tasks t
  join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id where t.workspace_id = $1 and t.id = $2`;
const LIST = `select ${taskView()} as json from tasks t
  join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id
where t.workspace_id = $1 and t.project_id = $2 and t.trashed_at is null order by t.number desc limit 51`;
const content = (
  form: string,
) => `select '{"' || $3 || '":' || ${form} || ',"content_revision":"' || r.revision || '"}' as json
from documents d join document_revisions r on r.workspace_id = d.workspace_id and r.document_id = d.id
  and r.revision = d.content_revision
where d.workspace_id = $1 and d.id = $2`;
const FORMS: Record<string, string> = {
  content: content("r.content::text"),
  markdown: content("to_json(r.markdown)::text"),
};
const key = "(select p.key from projects p where p.workspace_id = t.workspace_id and p.id = t.project_id)";
const CREATE = `with n as (update task_counters set last_number = last_number + 1
  where workspace_id = $1 and project_id = $3 returning last_number)
insert into tasks as t (workspace_id, id, project_id, number, title, description_markdown, status_id, position,
  created_by_actor_id)
select $1, $2, $3, n.last_number, $4, $5, $6, n.last_number, $7 from n
returning ${taskView(key)} as json, t.revision::text`;
const UPDATE = `update tasks t set title = $3, revision = revision + 1, updated_at = now()
  where workspace_id = $1 and id = $2 and revision = $4
returning ${taskView(key)} as json, t.revision::text`;
const COMMENT = `insert into comments as c (workspace_id, id, task_id, author_actor_id, markdown)
  values ($1, $2, $3, $4, $5)
returning ${newCommentView} as json, c.revision::text`;
const EVENT = `insert into domain_events (workspace_id, id, type, activity, actor_id, command_id, project_id, task_id,
  resource_kind, resource_id, payload)
values ($1, $2, $3, 'progress', $4, $2, $5, $6, 'task', $6, '{}')`;
const AUDIT = `insert into audit_log (workspace_id, id, operation, actor_id, target_id, correlation_id)
  values ($1, $2, $3, $4, $5, $6)`;
const KEY = `insert into idempotency_keys (workspace_id, principal_id, operation, key_hash, fingerprint, status, etag,
  body, command_id) values ($1, $2, $3, $4, $4, 201, '"1"', $5, $6)`;

const sessionOf = (request: IncomingMessage) =>
  /__Host-svc_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
const body = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
};

async function read(client: pg.PoolClient, request: IncomingMessage, id: string, child = ""): Promise<string> {
  const who = (await query<Who & pg.QueryResultRow>(client, WHO, [sha256(sessionOf(request))])).rows[0] as Who;
  const form = FORMS[child];
  if (form) return (await query<{ json: string }>(client, form, [who.workspace_id, id, child])).rows[0]?.json ?? "";
  const list = child === "tasks";
  const { rows } = await query<{ json: string }>(client, list ? LIST : TASK, [who.workspace_id, id]);
  return list
    ? `{"items":[${rows
        .slice(0, 50)
        .map((row) => row.json)
        .join(",")}]}`
    : (rows[0]?.json ?? "");
}

/** The parent passes the people at start, so that a write is the transaction alone. */
const { workspaceId, statusId, people } = JSON.parse(process.env.BENCH_DATA ?? "{}") as Data;
const actorOf = new Map(people.map(({ session, actorId }) => [session, actorId]));

async function write(
  client: pg.PoolClient,
  request: IncomingMessage,
  kind: string,
  id: string,
): Promise<{ json: string; revision: string }> {
  const input = await body(request);
  const actorId = actorOf.get(sessionOf(request));
  const own = newId();
  client.query("begin").catch(() => {});
  const change =
    kind === "task"
      ? query(client, CREATE, [workspaceId, own, id, input.title, input.description_markdown ?? "", statusId, actorId])
      : kind === "update"
        ? query(client, UPDATE, [workspaceId, id, input.title, (request.headers["if-match"] ?? "").replaceAll('"', "")])
        : query(client, COMMENT, [workspaceId, own, id, actorId, input.markdown]);
  const row = (await change).rows[0] as { json: string; revision: string };
  const at = kind === "task" ? own : id;
  await Promise.all([
    query(client, EVENT, [workspaceId, newId(), `task.${kind}`, actorId, null, at]),
    query(client, AUDIT, [workspaceId, newId(), kind, actorId, at, newId()]),
    query(client, KEY, [workspaceId, actorId, kind, sha256(String(request.headers["idempotency-key"])), row.json, own]),
    client.query("commit"),
  ]);
  return row;
}

async function answer(request: IncomingMessage, response: ServerResponse) {
  // Requested while the service is under load and this process is idle: the latency that the machine alone causes.
  if (request.url === "/healthz") return response.end("ok");
  const [, , , resource, id = "", child] = (request.url as string).split("?")[0]?.split("/") ?? [];
  const client = await pool.connect();
  try {
    if (request.method === "GET") {
      const json = await read(client, request, id, child);
      const headers: Record<string, string | number> = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(json),
      };
      if (resource === "tasks") headers.etag = `"${/"revision":"(\d+)"/.exec(json)?.[1]}"`;
      // The revision follows the content, which may be long.
      if (resource === "documents") headers.etag = json.slice(json.lastIndexOf(":") + 1, -1);
      response.writeHead(200, headers).end(json);
      return;
    }
    const { json, revision } = await write(
      client,
      request,
      request.method === "PATCH" ? "update" : child === "tasks" ? "task" : "comment",
      id,
    );
    response
      .writeHead(201, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(json),
        etag: `"${revision}"`,
      })
      .end(json);
  } catch (error) {
    response.writeHead(500).end(String(error));
  } finally {
    client.release();
  }
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit(0));
