// What a test stands on: the real service on a cloned database, and people in a Workspace of their own. Every answer
// that passes through here is held against the contract: an undeclared status or code, or a shape that was not
// promised, fails the test.
import { mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { pace } from "../src/accounts/identity/passwords/password.ts";
import { insertAccount, insertSession } from "../src/accounts/identity/store.ts";
import { insertMember, insertWorkspace } from "../src/accounts/workspaces/store.ts";
import { rest } from "../src/platform/background/jobs.ts";
import { AT_LENGTH, type Connection, poolSize } from "../src/platform/database/db.ts";
import { planLife } from "../src/platform/database/statement.ts";
import type { Role } from "../src/platform/kernel/authentication.ts";
import type { Lines } from "../src/platform/outside/voice/voice-sessions.ts";
import type { Config } from "../src/platform/settings/config.ts";
import { csrfTokenOf, NIL, newId, newSecret, sha256 } from "../src/platform/wire/ids.ts";
import { createLog, type RequestLine } from "../src/platform/wire/log.ts";
import { type RunningServer, type ServerParts, serve } from "../src/server.ts";
import type { Answer } from "./answer.ts";
import { exchange } from "./client.ts";
import { ownerUrl, type TestDatabase, testDatabase } from "./database.ts";
import { expectDeclared } from "./declared.ts";
import { handshakeFor, operationFor } from "./operation-of-request.ts";
import { testConfig } from "./test-config.ts";
import { registerWait } from "./wait-limit.ts";

export { testConfig, testKeys } from "./test-config.ts";

// What keeps the processors busy here are the tests themselves: nobody else's requests wait for a hash, or for a page
// of background work.
pace.restTimes = 0;
rest.times = 0;
// Tests run thousands of different statements a few times each: with plans of one second, planning them again was half
// of all planning (776 of 1,361 plans in five files). Tables are analysed meanwhile, which still invalidates the plans
// on them.
planLife.firstMs = 600_000;
// Each connection plans its statements and foreign keys anew: with 8, four test folders took a tenth more processor
// time than with 4. Tests of races need one that holds a lock, and six that wait for it.
poolSize.most = 7;
// Tables of tests stay small: nothing is gained by planning every statement of a follower, and every check of a foreign
// key, for itself.
AT_LENGTH.plans = "force_generic_plan";

const DEVICE = "__Host-svc_device=";
export interface Options {
  body?: unknown;
  /** Sent as it is, instead of body. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  key?: string;
  ifMatch?: string;
  /** What a busy service answers is the answer. */
  once?: true;
}

export interface TestService extends RunningServer {
  databaseUrl: string;
  send(method: string, path: string, options?: Options): Promise<Answer>;
  /**
   * Direct access for arranging and checking; rows of a Workspace need its id, because row-level security holds here
   * too.
   */
  sql<R>(sql: string, values?: unknown[], workspaceId?: string): Promise<R[]>;
  /** As the owner of the tables, whom neither row-level security nor missing rights stop. */
  asOwner<R extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<R[]>;
}

const lines = new Map<string, RequestLine>();
const collector = new Writable({
  write(chunk, _encoding, done) {
    const line = JSON.parse(String(chunk)) as RequestLine & { level: string };
    // Past the test runner, which may drop what comes last.
    if (line.level === "error") writeSync(2, String(chunk));
    lines.set(line.correlation_id, line);
    done();
  },
});

/** Database round-trips of the last operation that was logged under this id. */
export const tripsOf = (correlationId: string) => lines.get(correlationId)?.round_trips;

/** Answers an offer, and nobody is there: a session that ends as it begins. What talks is tried in voice.test.ts. */
const nobodyTalks: Lines = {
  available: () => true,
  async open(_offer, { closed }) {
    setImmediate(closed);
    return { sdp: "v=0\r\n", tell() {}, say() {}, end() {} };
  },
};

/**
 * A probe of writes takes 15 ms of a core: every five seconds, for every service of a run, that was a tenth of a core.
 */
const SELDOM = { normalMs: 600_000, refusedMs: 1000, holdMs: 15_000 };

interface Started {
  running: TestService;
  /** What is left once it is closed. */
  clear(): Promise<void>;
}
type Way = (databaseUrl: string) => Promise<string>;
const directly: Way = async (url) => url;
type Source = () => Promise<TestDatabase>;

export async function startService(
  config: Partial<Config>,
  parts: ServerParts = {},
  way = directly,
  source: Source = testDatabase,
): Promise<Started> {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-test-"));
  const { url, drop } = await source();
  // A new connection for each statement would take 10 ms of a core.
  const owners = new pg.Pool({ connectionString: url, idleTimeoutMillis: 0 });
  // The next statement replaces a connection that a test has ended.
  owners.on("error", () => {});
  const started = await serve({ ...testConfig, dataDir, ...config }, await way(ownerUrl(url)), {
    log: createLog("info", collector),
    voice: nobodyTalks,
    writeProbe: SELDOM,
    ...parts,
  });
  const origin = started.url.replace("localhost", "127.0.0.1");
  return {
    running: {
      ...started,
      databaseUrl: url,
      send: (method, path, options) => send(origin, method, path, options),
      sql: <R>(sql: string, values?: unknown[], workspaceId?: string) =>
        asTenant(started, workspaceId, (tx) => tx.rows<R>(sql, values)).finally(registerWait(sql)),
      asOwner: <R extends pg.QueryResultRow>(sql: string, values?: unknown[]) =>
        owners
          .query<R>(sql, values)
          .then(({ rows }) => rows)
          .finally(registerWait(sql)),
    },
    async clear() {
      await owners.end();
      await drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Of all files of a worker that need nothing of their own. It ends with the worker, and its database with the run. */
let common: Promise<Started> | undefined;
const SHARED = "the files of a worker";

/**
 * The service that a test file stands on: one for all that say nothing more, or one of its own, on a database of its
 * own.
 */
export function service(
  config: Partial<Config> | typeof SHARED = SHARED,
  parts: ServerParts = {},
  /** How the service reaches its database, where a test stands in between. */
  way = directly,
  /** Makes its database. */
  source: Source = testDatabase,
): TestService {
  const running = {} as TestService;
  let own: Started | undefined;
  beforeAll(async () => {
    if (config === SHARED) common ??= startService({});
    else own = await startService(config, parts, way, source);
    Object.assign(running, (own ?? (await common))?.running);
  });
  afterAll(async () => {
    if (!own) return;
    // A test may have closed it, and says so there.
    await running.close();
    await own.clear();
  });
  return running;
}

export async function asTenant<T>(
  running: RunningServer,
  workspaceId: string | undefined,
  work: (tx: Connection) => Promise<T>,
): Promise<T> {
  let hasBegun = false;
  const attempt = () =>
    running.database.writer.use(async (tx) => {
      hasBegun = true;
      await tx.begin();
      // Statements that prepare a test may be large, and the machine busy.
      await tx.atLength();
      await tx.rows("select set_config('svc.workspace', $1, true)", [workspaceId ?? NIL]);
      const result = await work(tx);
      await tx.commit();
      return result;
    });
  for (let left = 60; ; left--)
    try {
      return await attempt();
    } catch (error) {
      // A busy service has no connection for it; a request would be sent again.
      if (hasBegun || left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
}

/** What a busy service refuses did not happen: it is sent again with the same key, as a client would. */
async function send(origin: string, method: string, path: string, options: Options = {}): Promise<Answer> {
  for (let left = 60; ; left--) {
    const answer = await sendOnce(origin, method, path, options);
    const isBusy = answer.body?.code === "overloaded" && answer.headers.get("retry-after") === "1";
    if (!isBusy || options.once || left === 0) return answer;
    await sleep(1000);
  }
}

async function sendOnce(origin: string, method: string, path: string, options: Options): Promise<Answer> {
  const correlationId = newId();
  const headers: Record<string, string> = { "x-correlation-id": correlationId, ...options.headers };
  if (options.key !== undefined) headers["idempotency-key"] = options.key;
  if (options.ifMatch !== undefined) headers["if-match"] = `"${options.ifMatch}"`;
  if (options.body !== undefined) headers["content-type"] ??= "application/json";
  const operation = operationFor(method, path);
  if (operation?.socket) Object.assign(headers, handshakeFor(operation.socket, headers, origin));
  const {
    status,
    headers: told,
    text,
  } = await exchange(
    method,
    origin + (/^\/(?:api\/|oauth\/|$)/.test(path) ? path : `/api/v1${path}`),
    headers,
    options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
  );
  const trips = lines.get(correlationId)?.round_trips ?? 0;
  lines.delete(correlationId);
  const answer = {
    status,
    headers: told,
    body: text && told.get("content-type")?.includes("json") ? JSON.parse(text) : undefined,
    text,
    cookies: told.getSetCookie().filter((line) => !line.startsWith(DEVICE)),
    device: told
      .getSetCookie()
      .find((line) => line.startsWith(DEVICE))
      ?.split(";")[0],
    trips,
  };
  if (operation && answer.status !== 405) expectDeclared(operation, answer);
  return answer;
}

export interface Person {
  userId: string;
  actorId: string;
  email: string;
  session: string;
  /** Of the service that knows them. */
  origin: string;
  /** With the browser session. */
  call(method: string, path: string, options?: Options): Promise<Answer>;
  /** With a bearer token instead. */
  bearer(token: string, method: string, path: string, options?: Options): Promise<Answer>;
}

export interface World {
  workspaceId: string;
  owner: Person;
  /** A further member with this role. */
  member(role: Role): Promise<Person>;
  /** A personal API token of the owner, or of somebody else. */
  token(scopes?: string[], person?: Person): Promise<string>;
}

/** The part of a person that another process can read. */
export type Account = Pick<Person, "userId" | "actorId" | "email" | "session">;
export const personOf = (running: TestService, account: Account): Person => ({
  ...account,
  origin: running.url,
  call: asSession(running, account.session),
  bearer: asBearer(running),
});

/**
 * A Workspace with its owner, made by the functions that the operations use, without the cost of hashing a password; or
 * the one that the database has already.
 */
export async function world(running: TestService, made?: { workspaceId: string; owner: Account }): Promise<World> {
  const workspaceId = made?.workspaceId ?? newId();
  const inWorkspace = <T>(work: (tx: Connection) => Promise<T>) => asTenant(running, workspaceId, work);
  const join = (role: Role | "new") =>
    inWorkspace(async (tx): Promise<Person> => {
      const [userId, actorId] = [newId(), newId()];
      const email = `${userId}@example.com`;
      await insertAccount(tx, {
        id: userId,
        email,
        displayName: `Person ${userId.slice(-4)}`,
        username: userId,
        passwordHash: null,
      });
      if (role === "new")
        await insertWorkspace(tx, {
          id: workspaceId,
          name: "Test",
          slug: `test-${workspaceId}`.slice(0, 48),
          userId,
          actorId,
        });
      else await insertMember(tx, workspaceId, actorId, userId, role);
      const session = await insertSession(tx, userId, workspaceId, true);
      return personOf(running, { userId, actorId, email, session });
    });
  const owner = made ? personOf(running, made.owner) : await join("new");
  return {
    workspaceId,
    owner,
    member: join,
    token: async (scopes = ["svc:read", "svc:write"], person = owner) => {
      const token = newSecret("pat");
      await insertCredential(running, "personal", token, person.userId, workspaceId, scopes);
      return token;
    },
  };
}

/**
 * A credential of any kind, also of those that nothing issues yet; an OAuth client's with the grant that it belongs to.
 */
export function insertCredential(
  running: TestService,
  kind: string,
  secret: string,
  userId: string,
  workspaceId: string | null,
  scopes: string[],
) {
  const grantId = ["native", "developer", "mcp"].includes(kind) ? newId() : null;
  return running.sql(
    `with granted as (
      insert into oauth_grants (id, family, client_id, client_name, user_id, workspace_id, scopes)
      select $7::uuid, $2::text, case $2 when 'developer' then 'svc-ide-a' else 'svc-test' end, 'Test', $4::uuid,
        $5::uuid, $6::text[] where $7::uuid is not null
    )
    insert into credentials (id, kind, secret_hash, user_id, workspace_id, scopes, name, last_four, expires_at,
      grant_id)
    values ($1, $2, $3, $4, $5, $6, 'test', 'test', now() + interval '1 day', $7)`,
    [newId(), kind, sha256(secret), userId, workspaceId, scopes, grantId],
  );
}

export const asSession =
  (running: TestService, session: string) =>
  (method: string, path: string, options: Options = {}) =>
    running.send(method, path, { ...options, headers: { ...sessionHeaders(session), ...options.headers } });

export const sessionHeaders = (session: string) => ({
  cookie: `__Host-svc_session=${session}; __Host-svc_csrf=${csrfTokenOf(session)}`,
  "x-csrf-token": csrfTokenOf(session),
});

const asBearer =
  (running: TestService) =>
  (token: string, method: string, path: string, options: Options = {}) =>
    running.send(method, path, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } });

export const newKey = () => `key-${newId()}`;
