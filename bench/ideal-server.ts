// The ideal: cost of the same requests with tables made for nothing else. node:http and the same driver, one statement
// per request, two indexes and a text index on the Tasks, and with each write an event, an audit row and the key with
// the response. No tenants, no permissions, no checks.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { newId, sha256 } from "../server/src/platform/wire/ids.ts";

export const TABLES = `
create table sessions (hash bytea primary key, actor_id uuid not null);
create table tasks (id uuid primary key, project_id uuid not null, number bigint not null default nextval('numbers'),
  title text not null, description text not null,
  status_id uuid not null, position float8 not null default 0, created_by uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  words tsvector generated always as (to_tsvector('simple', title || ' ' || description)) stored);
create index on tasks (project_id, number desc);
create index on tasks using gin (words);
create table comments (id uuid primary key, task_id uuid not null, author uuid not null, text text not null,
  revision bigint not null default 1, created_at timestamptz not null default now());
create index on comments (task_id, id);
create table events (id uuid primary key, task_id uuid not null, type text not null, actor_id uuid not null,
  at timestamptz not null default now());
create table audit (id uuid primary key, target_id uuid not null, operation text not null, actor_id uuid not null,
  at timestamptz not null default now());
create table keys (hash bytea primary key, body text not null, at timestamptz not null default now());`;

const WHO = "who as materialized (select actor_id from sessions where hash = $1)";
const task = (t: string) =>
  `json_build_object('id', ${t}.id, 'project_id', ${t}.project_id, 'number', ${t}.number, 'title', ${t}.title,
    'description_markdown', ${t}.description, 'status_id', ${t}.status_id, 'position', ${t}.position,
    'created_by', ${t}.created_by, 'revision', ${t}.revision::text, 'created_at', ${t}.created_at, 'updated_at',
    ${t}.updated_at)::text`;
/** Rows that every write adds: parameters 2 to 5 are the ids of event and audit row, the operation, and the key. */
const kept = (row: string) => `
e as (insert into events (id, task_id, type, actor_id) select $2, ${row}.task_id, $4, who.actor_id from ${row}, who),
a as (insert into audit (id, target_id, operation, actor_id) select $3, ${row}.id, $4, who.actor_id from ${row}, who),
k as (insert into keys (hash, body) select $5, ${row}.json from ${row})
select json, revision from ${row}`;
const statements = {
  read: `with ${WHO} select ${task("t")} as json, t.revision::text from tasks t, who where t.id = $2`,
  list: `with ${WHO} select ${task("t")} as json, '' as revision from tasks t, who where t.project_id = $2
    order by t.number desc limit 50`,
  search: `with ${WHO} select ${task("t")} as json, '' as revision from (
    select t.* from (select * from tasks, who where words @@ to_tsquery('simple', $2) limit 400) t
    order by ts_rank(t.words, to_tsquery('simple', $2)) desc, t.id desc limit 50) t`,
  create: `with ${WHO}, n as (
    insert into tasks as t (id, project_id, title, description, status_id, created_by)
    select $6, $7, $8, $9, $10, actor_id from who
    returning ${task("t")} as json, t.revision::text, t.id, t.id as task_id), ${kept("n")}`,
  update: `with ${WHO}, n as (
    update tasks t set title = $8, revision = revision + 1, updated_at = now() where id = $6 and revision = $7
    returning ${task("t")} as json, t.revision::text, t.id, t.id as task_id), ${kept("n")}`,
  comment: `with ${WHO}, n as (
    insert into comments as c (id, task_id, author, text) select $6, $7, actor_id, $8 from who
    returning json_build_object('id', c.id, 'task_id', c.task_id, 'author', c.author, 'markdown', c.text,
      'revision', c.revision::text, 'created_at', c.created_at)::text as json, c.revision::text, c.id, c.task_id),
      ${kept("n")}`,
};

if (process.send) serve();

function serve() {
  const pool = new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: 16,
    options: "-c plan_cache_mode=force_generic_plan -c timezone=UTC",
  });
  const statusId = process.env.STATUS_ID;
  const bytes = async (request: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return JSON.parse(Buffer.concat(chunks).toString());
  };
  async function answer(request: IncomingMessage): Promise<{ json: string; revision: string; status: number }> {
    const { pathname, searchParams } = new URL(request.url as string, "http://ideal");
    const [, , , kind, id = "", child] = pathname.split("/");
    const session = sha256(/__Host-svc_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "");
    const run = async (name: keyof typeof statements, values: unknown[]) =>
      (await pool.query<{ json: string; revision: string }>({ name, text: statements[name], values })).rows;
    if (request.method === "GET") {
      if (kind === "tasks") {
        const [{ json, revision } = { json: "", revision: "" }] = await run("read", [session, id]);
        return { json, revision, status: 200 };
      }
      const rows =
        child === "search" ? await run("search", [session, searchParams.get("q")]) : await run("list", [session, id]);
      return { json: `{"items":[${rows.map(({ json }) => json).join(",")}]}`, revision: "", status: 200 };
    }
    const input = await bytes(request);
    const name = request.method === "PATCH" ? "update" : child === "tasks" ? "create" : "comment";
    const own = {
      create: [newId(), id, input.title, input.description_markdown, statusId],
      update: [id, (request.headers["if-match"] ?? "").replaceAll('"', ""), input.title],
      comment: [newId(), id, input.markdown],
    }[name];
    const key = sha256(String(request.headers["idempotency-key"]));
    const [row] = await run(name, [session, newId(), newId(), name, key, ...own]);
    if (!row) throw new Error("nothing was changed");
    return { ...row, status: name === "update" ? 200 : 201 };
  }
  const server = createServer((request, response) => {
    answer(request).then(
      ({ json, revision, status }) => {
        const length = Buffer.byteLength(json);
        response
          .writeHead(status, { "content-type": "application/json", "content-length": length, etag: `"${revision}"` })
          .end(json);
      },
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.on("disconnect", () => process.exit(0));
}
