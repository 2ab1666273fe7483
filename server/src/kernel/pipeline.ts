// The life of a request, top to bottom. Every cross-cutting concern is here and nowhere else:
//
//   match -> maintenance -> admission -> rate limit -> credential -> body -> parse -> begin, authenticate -> csrf -> membership
//   -> idempotency replay, load target, authorise -> If-Match -> run -> events, audit, jobs, stored answer, commit -> answer
//
// Idempotency stands before target and If-Match, or the retry of a successful write would answer 404 or 409; membership stands
// before idempotency, or a removed member could replay. That is the order in which answers are decided. On the wire, authentication with
// the look for the key, and load, go out in one write, because the SQL asks the connection who is calling: a read takes 1 round-trip, a
// write 3, or 2 where the handler defers its statements to the commit.
import type { IncomingMessage } from "node:http";
import { isPublic, isUnsafe, successStatus, takesIfMatch, takesKey } from "@svc/contract/kit.ts";
import {
  authenticate,
  type Hold,
  type Presented,
  type Principal,
  presentedCredential,
  type Reach,
  requireCsrf,
  requireKind,
} from "./authenticate.ts";
import { readBody } from "./body.ts";
import {
  contextOf,
  cookieJar,
  enqueueAll,
  type Left,
  NOTHING_TO_LEAVE,
  nothingLeft,
  READ_TENANT,
  settle,
  TENANT,
  tenantOf,
} from "./context.ts";
import type { Connection } from "./db.ts";
import type { Context, EffectsContext, EffectsTransaction, Implementation, ListRow, Rendered } from "./implement.ts";
import { type Input, idempotencyKey, ifMatch, parseInput, workspaceOf } from "./input.ts";
import type { Kernel } from "./kernel.ts";
import { type Answer, type Author, type Claim, claimOf, isTwin, type Kept, writeLedger } from "./ledger.ts";
import { Refusal, refuse } from "./problem.ts";
import type { Decision } from "./rate-limit.ts";

/** One request on its way. */
export interface Call {
  kernel: Kernel;
  implementation: Implementation;
  request: IncomingMessage;
  params: Record<string, string>;
  search: string;
  correlationId: string;
  address: string;
  /** Set by the deadline: nothing is committed after it. */
  expired: boolean;
  /** A key was sent, it was looked for, and it was not kept yet. */
  unkept: boolean;
  /** For the log line and the metrics. */
  trips: number;
  principal: Principal | null;
  rate: Decision | null;
}

export interface Outcome {
  status: number;
  body: string;
  headers: Record<string, string>;
  cookies: string[];
}

export async function serve(call: Call): Promise<Outcome> {
  const { implementation, request } = call;
  const { operation } = implementation;
  const presented = isPublic(operation) ? undefined : presentedBy(call);
  limitRate(call, presented);
  const credential = isPublic(operation) ? undefined : requireKind(operation, presented);
  const body = isUnsafe(operation) ? await readBody(request) : NO_BODY;
  if (implementation.mode === "effects") return effects(call, credential, body);
  if (!credential) throw new Error(`${operation.id} is public and must be implemented with effects`);
  return isUnsafe(operation) ? write(call, credential, body) : read(call, credential);
}

/** A credential that is malformed counts against its address, like one that is unknown. */
function presentedBy(call: Call): Presented | undefined {
  try {
    return presentedCredential(call.request);
  } catch (error) {
    limitRate(call, undefined);
    call.kernel.limits?.take("refused", call.address);
    throw error;
  }
}

/** Per credential, or per address where there is none; an address whose credentials keep failing is held off before any lookup. */
function limitRate(call: Call, presented: Presented | undefined): void {
  const { limits } = call.kernel;
  const { operation } = call.implementation;
  if (!limits) return;
  const subject = presented ? presented.hash.toString("base64") : call.address;
  call.rate = limits.take(operation.limit ?? (isUnsafe(operation) ? "write" : "read"), subject);
  const held =
    presented && !limits.peek("refused", call.address).allowed ? limits.peek("refused", call.address) : call.rate;
  if (!held.allowed) refuse("rate_limited", { retry_after: held.retryAfter });
}

function reachOf(call: Call): Reach {
  return { workspaceId: workspaceOf(call), into: call.implementation.access.reach === "membership" };
}

/** What was wrong with the input waits until the caller is known: 401 and 403 come first. */
function parsed(
  call: Call,
  body: Buffer,
): { input: Input; refusal?: undefined } | { input?: undefined; refusal: Refusal } {
  try {
    return { input: parseInput(call, body) };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    throw error;
  }
}

async function identify(call: Call, tx: Connection, presented: Presented, hold: Hold) {
  const { kernel, request, implementation } = call;
  const { operation } = implementation;
  try {
    const { principal, kept } = await authenticate(tx, operation, presented, reachOf(call), hold, kernel.touch);
    call.principal = principal;
    if (presented.kind === "session" && isUnsafe(operation)) requireCsrf(request, presented);
    if (operation.recentAuth && !principal.recent) refuse("recent_authentication_required");
    return { principal, kept };
  } catch (error) {
    if (error instanceof Refusal && !call.principal) kernel.limits?.take("refused", call.address);
    throw error;
  }
}

function requireMembership(call: Call, principal: Principal): void {
  if (call.implementation.access.reach === "membership" && !principal.membership) refuse("not_found");
}

// ---- reading -------------------------------------------------------------------------------------------------------------------

function read(call: Call, presented: Presented): Promise<Outcome> {
  const { kernel, implementation } = call;
  const { access, run, mode } = implementation;
  const { input, refusal } = parsed(call, NO_BODY);
  return kernel.database.reader.use(async (tx) => {
    try {
      const identifying = identify(call, tx, presented, "session");
      if (refusal) return await identifying.then(() => Promise.reject(refusal));
      const loading = access.load(tx, input.params, false);
      const listing = mode === "list" ? run(tx, input) : null;
      const [{ principal }, target, rows] = await settle([identifying, loading, listing]);
      requireMembership(call, principal);
      const context = contextOf(tx, principal, NOTHING_TO_LEAVE);
      authorise(call, context, target);
      if (mode === "list") return listOutcome(call, principal, input, rows);
      return outcomeOf(answerOf(call, await run(context, { ...input, target })));
    } finally {
      call.trips = tx.trips;
    }
  });
}

function authorise(call: Call, context: Context, target: unknown): void {
  if (target === undefined) refuse("not_found");
  if (!call.implementation.access.permits(context, target)) refuse("forbidden");
}

type Listed = ListRow[] | { rows: ListRow[]; more: string | null };

function listOutcome(call: Call, principal: Principal, { page }: Input, result: Listed): Outcome {
  const { limit, binding } = page;
  const caller = principal.membership?.actorId ?? principal.userId;
  if (page.caller !== null && page.caller !== caller) refuse("invalid_cursor");
  const rows = Array.isArray(result) ? result.slice(0, limit) : result.rows;
  const more = Array.isArray(result) ? (result.length > limit ? (rows.at(-1) as ListRow).key : null) : result.more;
  const cursor = more === null ? null : call.kernel.cursors.seal(more, caller, binding);
  const outcome = outcomeOf({
    status: 200,
    etag: null,
    body: `{"items":[${rows.map((row) => row.json).join(",")}],"next_cursor":${JSON.stringify(cursor)},"has_more":${more !== null}}`,
  });
  if (cursor !== null) outcome.headers.link = `<${nextLink(call, cursor)}>; rel="next"`;
  return outcome;
}

function nextLink(call: Call, cursor: string): string {
  const query = new URLSearchParams(call.search);
  query.set("cursor", cursor);
  return `${(call.request.url as string).split("?")[0]}?${query}`;
}

// ---- writing -------------------------------------------------------------------------------------------------------------------

const TRANSIENT = new Set(["40001", "40P01"]);
const LOCK_TIMEOUT = "55P03";
const codeOf = (error: unknown) => (error as { code?: string }).code ?? "";

/** Refused for the state that it found: by us, or by a constraint. */
const isStateful = (error: unknown) =>
  error instanceof Refusal ? error.code !== "idempotency_in_progress" : codeOf(error).startsWith("23");

/**
 * Tried again where the transaction left nothing behind: after a serialisation failure or deadlock, three times at most; and once
 * when a write with a key failed, because its twin may have finished in between and its answer is then the answer.
 */
async function write(call: Call, presented: Presented, body: Buffer): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call.kernel.database.writer.use((tx) => attemptWrite(call, tx, presented, body));
    } catch (error) {
      const again = TRANSIENT.has(codeOf(error)) ? attempt < 3 : attempt === 1 && call.unkept && isStateful(error);
      if (again && !call.expired) continue;
      if (isTwin(error)) refuse("idempotency_in_progress", { retry_after: 1 });
      throw error;
    }
  }
}

async function attemptWrite(call: Call, tx: Connection, presented: Presented, body: Buffer): Promise<Outcome> {
  const { operation, access, run } = call.implementation;
  const left = nothingLeft();
  const { input, refusal } = parsed(call, body);
  call.unkept = false;
  try {
    const { claim, refusal: unkeyed } = claimFor(call, body);
    const identifying = settle([tx.begin(), identify(call, tx, presented, { claim })]);
    if (refusal) return await identifying.then(() => Promise.reject(refusal));
    const loading = access.load(tx, input.params, true);
    const [[, { principal, kept }], target] = await settle([identifying, loading]);
    requireMembership(call, principal);
    if (unkeyed) throw unkeyed;
    if (claim && kept) return replay(call, claim, kept);
    call.unkept = claim !== null;
    const context = contextOf(tx, principal, left);
    authorise(call, context, target);
    if (takesIfMatch(operation)) compareRevision(call, target);
    const answer = answerOf(call, await run(context, { ...input, target }));
    if (call.expired) refuse("overloaded", { retry_after: 1 });
    const stored = claim ? { ...answer, body: sealed(call, claim, answer.body) } : answer;
    await settle([
      ...left.deferred,
      keep(tx, authorOf(call, principal), left, claim, stored),
      ...enqueueAll(tx, left),
      tx.commit(),
    ]);
    return { ...outcomeOf(answer), cookies: left.cookies };
  } finally {
    call.trips += tx.trips;
  }
}

/** A twin that holds the key for longer than the lock time-out is still in progress. */
async function keep(tx: Connection, author: Author, left: Left, claim: Claim | null, answer: Answer) {
  try {
    await writeLedger(tx, author, left.facts, claim, answer);
  } catch (error) {
    if (claim && codeOf(error) === LOCK_TIMEOUT) refuse("idempotency_in_progress", { retry_after: 1 });
    throw error;
  }
}

/** A key that is missing or malformed is refused once the caller is known. */
function claimFor(call: Call, body: Buffer): { claim: Claim | null; refusal?: Refusal } {
  const { operation } = call.implementation;
  if (!takesKey(operation)) return { claim: null };
  try {
    const key = idempotencyKey(call.request);
    if (key === undefined && operation.idempotencyKey === "required") refuse("idempotency_key_required");
    if (key === undefined) return { claim: null };
    const request = [call.request.url as string, call.request.headers["if-match"] ?? ""];
    return { claim: claimOf(key, operation.id, request, body) };
  } catch (error) {
    return { claim: null, refusal: error as Refusal };
  }
}

/** Compared on the row that the load has locked. */
function compareRevision(call: Call, target: unknown): void {
  const expected = ifMatch(call.request);
  if (expected === undefined && call.implementation.operation.ifMatch === "required") refuse("if_match_required");
  const current = (target as { revision?: string } | null)?.revision;
  if (expected === undefined) return;
  if (current === undefined) throw new Error(`${call.implementation.operation.id} loads no revision to compare`);
  if (expected === "*") return;
  if (expected !== current) refuse("revision_conflict", { current_revision: current });
}

const rowOf = (call: Call, claim: Claim) =>
  `${call.principal?.membership?.actorId ?? call.principal?.userId} ${claim.operation} ${claim.keyHash.toString("hex")}`;
const sealed = (call: Call, claim: Claim, body: string) =>
  call.implementation.operation.secret ? call.kernel.secrets.seal(body, rowOf(call, claim)) : body;

function replay(call: Call, claim: Claim, { fingerprint, status, etag, body }: Kept): Outcome {
  if (!fingerprint.equals(claim.fingerprint)) refuse("idempotency_key_conflict");
  const { secret } = call.implementation.operation;
  const opened = secret ? call.kernel.secrets.open(body, rowOf(call, claim)) : body;
  const outcome = outcomeOf({ status, etag, body: opened });
  outcome.headers["idempotent-replayed"] = "true";
  return outcome;
}

// ---- operations with effects: they open their own short transactions --------------------------------------------------------------

async function effects(call: Call, presented: Presented | undefined, body: Buffer): Promise<Outcome> {
  if (presented) await counted(call, (connection) => identify(call, connection, presented, "session"));
  const { principal } = call;
  const input = parseInput(call, body);
  const left = nothingLeft();
  const context: EffectsContext = {
    principal,
    cookies: cookieJar(left),
    read: (work) =>
      counted(call, async (connection) => {
        // The connection still has the tenant of whoever used it before.
        const [, result] = await settle([connection.rows(READ_TENANT, [tenantOf(principal)]), work(connection)]);
        return result;
      }),
    transaction: (work) => transaction(call, left, work),
  };
  const answer = answerOf(call, await call.implementation.run(context, input));
  return { ...outcomeOf(answer), cookies: left.cookies };
}

function counted<T>(call: Call, work: (connection: Connection) => Promise<T>): Promise<T> {
  return call.kernel.database.reader.use(async (connection) => {
    try {
      return await work(connection);
    } finally {
      call.trips += connection.trips;
    }
  });
}

function transaction<T>(call: Call, left: Left, work: (context: EffectsTransaction) => Promise<T>): Promise<T> {
  return call.kernel.database.writer.use(async (tx) => {
    const author = authorOf(call, call.principal);
    try {
      await settle([tx.begin(), tx.rows(TENANT, [author.tenant])]);
      const actAs = (userId: string) => {
        author.userId = userId;
      };
      const result = await work(Object.assign(contextOf(tx, call.principal, left), { actAs }));
      if (call.expired) refuse("overloaded", { retry_after: 1 });
      await settle([
        ...left.deferred,
        writeLedger(tx, author, left.facts, null, NO_ANSWER),
        ...enqueueAll(tx, left),
        tx.commit(),
      ]);
      left.facts = [];
      left.jobs = [];
      left.deferred = [];
      return result;
    } finally {
      call.trips += tx.trips;
    }
  });
}

// ---- parts ---------------------------------------------------------------------------------------------------------------------

const NO_ANSWER: Answer = { status: 0, etag: null, body: "" };
const NO_BODY = Buffer.alloc(0);

function authorOf(call: Call, principal: Principal | null): Author {
  return {
    tenant: tenantOf(principal),
    operation: call.implementation.operation.id,
    userId: principal?.userId ?? null,
    actorId: principal?.membership?.actorId ?? null,
    credentialId: principal?.credentialId ?? null,
    credentialKind: principal?.kind ?? null,
    correlationId: call.correlationId,
    targetId: Object.values(call.params).at(-1) ?? null,
  };
}

function answerOf(call: Call, result: unknown): Answer {
  const status = successStatus(call.implementation.operation);
  if (result === undefined || result === null) return { status, etag: null, body: "" };
  const rendered = result as Partial<Rendered>;
  const body = typeof rendered.json === "string" ? rendered.json : JSON.stringify(result);
  return { status, etag: rendered.revision === undefined ? null : `"${rendered.revision}"`, body };
}

function outcomeOf(answer: Answer): Outcome {
  const headers: Record<string, string> = {};
  if (answer.body !== "") headers["content-type"] = "application/json; charset=utf-8";
  if (answer.etag !== null) headers.etag = answer.etag;
  return { status: answer.status, body: answer.body, headers, cookies: [] };
}
