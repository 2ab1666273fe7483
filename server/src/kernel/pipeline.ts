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
import { isPublic, isUnsafe, type RateClass, takesIfMatch, takesKey } from "@svc/contract/kit.ts";
import { answerOf, listOutcome, NO_ANSWER, type Outcome, outcomeOf, replay, sealed } from "./answers.ts";
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
  CALLER,
  contextOf,
  cookieJar,
  enqueueAll,
  type Left,
  NOTHING_TO_LEAVE,
  nothingLeft,
  READ_TENANT,
  settle,
  tenantOf,
} from "./context.ts";
import { browserOf } from "./cookies.ts";
import type { Connection } from "./db.ts";
import type { Client, Context, EffectsContext, EffectsTransaction, Implementation } from "./implement.ts";
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

export async function serve(call: Call): Promise<Outcome> {
  const { implementation, request } = call;
  const { operation } = implementation;
  const presented = isPublic(operation) ? undefined : presentedBy(call);
  limitRate(call, presented);
  const credential = isPublic(operation) ? sessionFor(call) : requireKind(operation, presented);
  const body = isUnsafe(operation) ? await readBody(request, operation.raw?.bytes) : NO_BODY;
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

/** The session that a browser brings to a public page, if it is well-formed. Its requests are counted by address all the same. */
function sessionFor({ implementation, request }: Call): Presented | undefined {
  if (!implementation.operation.browser || request.headers.authorization !== undefined) return undefined;
  try {
    return presentedCredential(request);
  } catch {
    return undefined;
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

function limitSubject({ kernel }: Call, name: RateClass, subject: string): void {
  const decision = kernel.limits?.take(name, subject);
  if (decision && !decision.allowed) refuse("rate_limited", { retry_after: decision.retryAfter });
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

const READING: Hold = { local: false, claim: null };

// ---- reading -------------------------------------------------------------------------------------------------------------------

function read(call: Call, presented: Presented): Promise<Outcome> {
  const { kernel, implementation } = call;
  const { access, run, mode } = implementation;
  const { input, refusal } = parsed(call, NO_BODY);
  return kernel.database.reader.use(async (tx) => {
    try {
      const identifying = identify(call, tx, presented, READING);
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
function write(call: Call, presented: Presented, body: Buffer): Promise<Outcome> {
  return tried(call, () => call.kernel.database.writer.use((tx) => attemptWrite(call, tx, presented, body)));
}

async function tried(call: Call, work: () => Promise<Outcome>): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
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
    const identifying = settle([tx.begin(), identify(call, tx, presented, { local: true, claim })]);
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
      ...enqueueAll(tx, left, call.kernel.secrets),
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

// ---- operations with effects: they open their own short transactions --------------------------------------------------------------

/** Tried again only to find a twin's answer: what it does outside may not be done twice without need. */
function effects(call: Call, presented: Presented | undefined, body: Buffer): Promise<Outcome> {
  return tried(call, () => attemptEffects(call, presented, body));
}

async function attemptEffects(call: Call, presented: Presented | undefined, body: Buffer): Promise<Outcome> {
  const { claim, refusal } = presented ? claimFor(call, body) : { claim: null };
  call.unkept = false;
  const kept = presented && (await keptFor(call, presented, claim));
  const { principal, kernel } = call;
  const input = parseInput(call, body);
  if (principal) requireMembership(call, principal);
  if (refusal) throw refusal;
  if (claim && kept) return replay(call, claim, kept);
  const left = nothingLeft();
  const context: EffectsContext = {
    principal,
    limit: (name, subject) => limitSubject(call, name, subject),
    outside: kernel.outside,
    cookies: cookieJar(left),
    browser: browserOf(call.request, left.cookies),
    read: (work) =>
      counted(call, async (connection) => {
        // The connection still has the tenant of whoever used it before.
        const [, result] = await settle([connection.rows(READ_TENANT, [tenantOf(principal)]), work(connection)]);
        return result;
      }),
    transaction: (work) => transaction(call, left, null, work),
    finish: (work) => {
      call.unkept = claim !== null;
      return transaction(call, left, claim, work);
    },
  };
  const answer = answerOf(call, await call.implementation.run(context, input));
  if (claim && !call.unkept) throw new Error(`${call.implementation.operation.id} honours a key and did not finish`);
  return { ...outcomeOf(answer), cookies: left.cookies };
}

/** Learns who is calling, and what the key was kept with. On a public page a dead session is as good as none. */
async function keptFor(call: Call, presented: Presented, claim: Claim | null): Promise<Kept | null> {
  try {
    return (await counted(call, (tx) => identify(call, tx, presented, { local: false, claim }))).kept;
  } catch (error) {
    if (error instanceof Refusal && isPublic(call.implementation.operation)) return null;
    throw error;
  }
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

function transaction<T>(
  call: Call,
  left: Left,
  claim: Claim | null,
  work: (context: EffectsTransaction) => Promise<T>,
): Promise<T> {
  return call.kernel.database.writer.use(async (tx) => {
    const author = authorOf(call, call.principal);
    try {
      await settle([tx.begin(), tx.rows(CALLER, [author.tenant, author.actorId, author.userId])]);
      const actAs = (userId: string) => {
        author.userId = userId;
      };
      const result = await work(Object.assign(contextOf(tx, call.principal, left), { actAs, client: clientOf(call) }));
      if (call.expired) refuse("overloaded", { retry_after: 1 });
      const answer = claim ? answerOf(call, result) : NO_ANSWER;
      const stored = claim ? { ...answer, body: sealed(call, claim, answer.body) } : answer;
      await settle([
        ...left.deferred,
        keep(tx, author, left, claim, stored),
        ...enqueueAll(tx, left, call.kernel.secrets),
        tx.commit(),
      ]);
      return result;
    } finally {
      // Also of one that failed: the next transaction must not write what this one did not do.
      Object.assign(left, { facts: [], jobs: [], deferred: [], letters: [] });
      call.trips += tx.trips;
    }
  });
}

// ---- parts ---------------------------------------------------------------------------------------------------------------------

const NO_BODY = Buffer.alloc(0);

const MOST_USER_AGENT = 256;
/** Printable ASCII only; an IPv4 address is the same one on a socket of both families, and a zone means nothing elsewhere. */
function clientOf({ request, address }: Call): Client {
  const told = (request.headers["user-agent"] ?? "").replace(/[^\x20-\x7e]+/g, " ").trim();
  return {
    userAgent: told.slice(0, MOST_USER_AGENT) || null,
    address: address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "") || null,
  };
}

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
