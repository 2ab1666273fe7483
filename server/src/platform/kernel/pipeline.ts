// The life of a request, top to bottom. Every cross-cutting concern is here and nowhere else:
//
//   match -> maintenance -> rate limit -> credential -> body -> admission -> parse -> begin, authenticate -> csrf
//   -> membership -> idempotency replay, load target, authorise -> If-Match -> run
//   -> events, audit, jobs, stored answer, commit -> answer
//
// Idempotency precedes target and If-Match, otherwise the retry of a successful write would answer 404 or 409;
// membership precedes idempotency, otherwise a removed member could replay. That is the order in which refusals are
// decided. A write runs as if its key were new, which it nearly always is: a stored key makes the commit fail at the
// latest, and after any such failure the write is retried with a lookup of the key. On the wire, authentication and load
// share one write, because the SQL reads the caller from the connection: a read takes 1 round-trip, a write 3, or 2 if
// the handler defers its statements to the commit.
import { errors } from "@svc/contract/errors.ts";
import { type AnyOperation, isPublic, isUnsafe, type RateClass } from "@svc/contract/kit.ts";
import { captured, shortly } from "../database/capture.ts";
import type { Connection } from "../database/db.ts";
import { placeOf } from "../database/journal.ts";
import { type Presented, presentedCredential } from "../wire/credential.ts";
import { asksBaseline, namesRevision } from "../wire/input/preconditions.ts";
import { gate } from "../wire/limits/concurrency-limit.ts";
import { Refusal, refuse } from "../wire/problem.ts";
import type { HttpAnswer } from "../wire/send-answer.ts";
import { answerOf, listOutcome, outcomeOf, replay } from "./answers.ts";
import { accepts, type Hold, isLive, unknownCredential, wrongKind } from "./authentication.ts";
import type { Call } from "./call.ts";
import { contextOf, cursorAt, NOTHING_TO_LEAVE, nothingLeft, requireSealed, settle, tenantOf } from "./context.ts";
import { effects } from "./effects.ts";
import { parsePath } from "./input.ts";
import {
  authorise,
  authorOf,
  claimFor,
  commitWrite,
  compareRevision,
  identify,
  liveTargets,
  parsed,
  provesIntent,
  requireMembership,
  transacted,
  tried,
} from "./steps.ts";

export const NO_BODY = Buffer.alloc(0);

/** Determines the credential before the body is read, in nearly every case without a database query. */
export const present = async (call: Call): Promise<Presented | undefined> =>
  isPublic(call.implementation.operation) ? sessionFor(call) : credentialFor(call);

export async function serve(call: Call, credential: Presented | undefined, body: Buffer): Promise<HttpAnswer> {
  const { implementation } = call;
  const { operation } = implementation;
  if (countsFailures(operation)) return countingFailures(call, () => effects(call, credential, body));
  if (implementation.mode === "effects") return effects(call, credential, body);
  if (!credential) throw new Error(`${operation.id} is public and must be implemented with effects`);
  return isUnsafe(operation) ? write(call, credential, body) : read(call, credential);
}

/** Rate classes of public operations that take a secret (password, code, link, refresh token), and of registration. */
const SECRET: ReadonlySet<RateClass | undefined> = new Set<RateClass>(["sign_in", "register", "token"]);
const countsFailures = (operation: AnyOperation) => isPublic(operation) && SECRET.has(operation.limit);

/**
 * Only failed attempts count against the address's limit, and above it every failure is answered with rate_limited
 * alone. A correct secret is never refused because of other callers' failures. The attempt is taken in advance, so that
 * concurrent attempts cannot exceed the limit, and given back if it did not fail.
 */
async function countingFailures(call: Call, work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  const { kernel, network, implementation } = call;
  const name = classOf(implementation.operation);
  const taken = kernel.limits?.take(name, network) ?? null;
  call.rate = taken;
  let failed = false;
  try {
    return await work();
  } catch (error) {
    failed = error instanceof Refusal && errors[error.code].status < 500 && error.code !== "rate_limited";
    if (failed && taken?.allowed) call.rate = (await kernel.limits?.countFailure(name, network, call)) ?? null;
    if (failed && call.rate?.allowed === false) refuse("rate_limited", { retry_after: call.rate.retryAfter });
    throw error;
  } finally {
    if (!failed && taken?.allowed) {
      kernel.limits?.give(name, network);
      call.rate = kernel.limits?.peek(name, network) ?? null;
    }
  }
}

/** Returns the well-formed session of a request to a public page, if any. The request counts against the address. */
async function sessionFor(call: Call): Promise<Presented | undefined> {
  const { implementation, request, kernel, network } = call;
  const { operation } = implementation;
  if (countsFailures(operation)) call.rate = kernel.limits?.peek(classOf(operation), network) ?? null;
  else await limitRate(call, undefined);
  if (!operation.browser || request.headers.authorization !== undefined) return undefined;
  try {
    return presentedCredential(request);
  } catch {
    return undefined;
  }
}

/** Counts a malformed credential against the address, without a lookup. */
async function presentedBy(call: Call): Promise<Presented> {
  try {
    return presentedCredential(call.request) ?? refuse("authentication_required");
  } catch (error) {
    await limitRate(call, undefined);
    throw error;
  }
}

/** Bounds failing lookups, which would occupy the database. Shared by tenant: invented credentials queue apart. */
const inTurn = gate(2, 1000);
const classOf = (operation: AnyOperation): RateClass => operation.limit ?? (isUnsafe(operation) ? "write" : "read");

/**
 * Returns a credential that the operation accepts. If its address has too many failures, or its kind is not accepted,
 * it is first looked up by itself in a bounded queue: a valid credential proceeds whatever others did, the rest is
 * throttled.
 */
async function credentialFor(call: Call): Promise<Presented> {
  const { kernel, network, implementation } = call;
  const presented = call.terms?.presented ?? (await presentedBy(call));
  const accepted = call.terms !== null || accepts(implementation.operation, presented);
  const failing = kernel.limits?.peek("refused", network) ?? null;
  const held = failing !== null && !failing.allowed;
  if (held || !accepted) {
    const tenant = kernel.tenants.of(presented, network);
    const live = await inTurn(tenant, () => kernel.database.reader.use((tx) => isLive(tx, presented), tenant));
    call.trips++;
    if (!live) {
      call.rate = failing;
      if (held) refuse("rate_limited", { retry_after: failing.retryAfter });
      kernel.limits?.take("refused", network);
      throw unknownCredential(presented);
    }
  }
  await limitRate(call, presented);
  if (!accepted) throw wrongKind(implementation.operation, presented);
  return presented;
}

/** Counts per credential in this process, or per address without one. */
async function limitRate(call: Call, presented: Presented | undefined): Promise<void> {
  const { limits } = call.kernel;
  const name = classOf(call.implementation.operation);
  const taken = presented
    ? limits?.take(name, presented.hash.toString("base64"))
    : limits?.limit(name, [call.network], call);
  call.rate = (await taken) ?? null;
  if (call.rate && !call.rate.allowed) refuse("rate_limited", { retry_after: call.rate.retryAfter });
}

const READING: Hold = { local: false, claim: null };
const always =
  <T>(value: T) =>
  (): T =>
    value;
const never = (error: unknown) => (): never => {
  throw error;
};

// ---- reading --------------------------------------------------------------------------------------------------------

function read(call: Call, presented: Presented): Promise<HttpAnswer> {
  const { reader } = call.kernel.database;
  const once = (sealed: boolean) => reader.use((tx) => readOnce(call, tx, presented, sealed), call.tenant);
  const whole = () => sealing(call, once);
  return call.implementation.operation.baseline === "always" ? captured(whole) : whole();
}
/**
 * Checkpoints the open collaboration texts of the target before the second attempt. Holds no place at the database
 * meanwhile, because the checkpoint needs some itself.
 */
const sealing = (call: Call, once: (sealed: boolean) => Promise<HttpAnswer>): Promise<HttpAnswer> =>
  once(false).catch(async (error) => {
    if (!error?.unsealed) throw error;
    await settle(error.unsealed.map((id: string) => call.kernel.texts.seal(tenantOf(call.principal), id)));
    return once(true);
  });

async function readOnce(call: Call, tx: Connection, presented: Presented, sealed: boolean): Promise<HttpAnswer> {
  const { access, run, mode, operation } = call.implementation;
  const asked = operation.baseline === true && asksBaseline(call.request);
  try {
    const isPlaced = asked || operation.baseline === "always";
    const beginning = isPlaced ? settle([tx.snapshot(), !asked && shortly(tx)]) : null;
    const identifying = identify(call, tx, presented, READING);
    // Runs after the authentication, which sets the Workspace whose journal it is.
    const placing = isPlaced ? placeOf(tx) : null;
    const path = parsePath(call);
    const alone = mode === "list" || operation.rows ? null : broughtAlong(call, tx, 1);
    const loading =
      path.faults.length === 0 ? access.load(alone?.queries ?? tx, path.params, false).then(always, never) : null;
    // Starts the database's work before the query string is parsed; a list shares this round-trip, so it waits.
    if (mode !== "list") tx.flush();
    const { input, refusal } = parsed(call, path, NO_BODY);
    // Validation errors of a list query are reported only to authorised callers.
    const brought = alone || !input ? alone : broughtAlong(call, tx, input.page.limit);
    const listing = mode === "list" && input ? run(brought?.queries ?? tx, input).then(always, never) : null;
    const [, placed, { principal }, loaded, listed] = await settle([beginning, placing, identifying, loading, listing]);
    call.place = placed ?? null;
    if (refusal) throw refusal;
    const target = loaded?.();
    requireMembership(call, principal);
    const context = contextOf(call, (operation.rows && brought?.queries) || tx, NOTHING_TO_LEAVE);
    authorise(call, context, target);
    const { id, unsealed } = (target ?? {}) as { id?: string; unsealed?: boolean };
    if (!sealed && unsealed && id) requireSealed([id]);
    const outcome = listed
      ? listOutcome(call, principal, input, listed, brought?.included)
      : outcomeOf(answerOf(call, await run(context, { ...input, target }), brought?.included()));
    // A page that stopped scanning early is no baseline.
    const complete = (listed?.() as { beside?: { complete?: boolean } } | undefined)?.beside?.complete !== false;
    if (asked && complete && call.place) {
      outcome.headers["x-svc-realtime-cursor"] = cursorAt(call, call.place, "workspace", null);
      outcome.headers["x-svc-realtime-position"] = call.place.position;
    }
    return outcome;
  } finally {
    call.trips += tx.trips;
  }
}

/** Null if the request includes nothing. An unknown name is refused with the rest of the query. */
function broughtAlong({ kernel, implementation, search }: Call, tx: Connection, rows: number) {
  const { operation } = implementation;
  if (!operation.include || !search.includes("include=")) return null;
  const asked = new URLSearchParams(search).get("include") ?? "";
  return kernel.including(tx, operation, asked.split(","), rows);
}

// ---- writing --------------------------------------------------------------------------------------------------------

function write(call: Call, presented: Presented, body: Buffer): Promise<HttpAnswer> {
  const { writer } = call.kernel.database;
  const once = (sealed: boolean) => (again: boolean) =>
    transacted(call, () => writer.use((tx) => writeOnce(call, tx, { presented, body, again, sealed }), call.tenant));
  return sealing(call, (sealed) => tried(call, once(sealed)));
}

type Attempt = { presented: Presented; body: Buffer; again: boolean; sealed: boolean };
async function writeOnce(call: Call, tx: Connection, attempt: Attempt): Promise<HttpAnswer> {
  const { presented, body, again, sealed } = attempt;
  const { access, run, operation, renew } = call.implementation;
  call.unkept = false;
  try {
    const looked = again || operation.takesNumber ? claimFor(call, body) : null;
    const hold = { local: true, claim: looked?.claim ?? null };
    const identifying = settle([tx.begin(), identify(call, tx, presented, hold)]);
    const path = parsePath(call);
    const loading =
      path.faults.length === 0
        ? access.load(tx, path.params, !(access.guarded && namesRevision(call.request))).then(always, never)
        : null;
    // Starts the database's work before token, key and body are checked.
    tx.flush();
    provesIntent(call, presented);
    const { claim, refusal: unkeyed } = looked ?? claimFor(call, body);
    const { input, refusal } = parsed(call, path, body);
    const [[, { principal, kept }], loaded] = await settle([identifying, loading]);
    if (refusal) throw refusal;
    const target = loaded?.();
    requireMembership(call, principal);
    if (unkeyed) throw unkeyed;
    if (claim && kept) return replay(call, claim, renew ? { ...kept, body: await renew.now(tx, kept.body) } : kept);
    call.unkept = claim !== null;
    const left = nothingLeft(authorOf(call, principal));
    const context = Object.assign(contextOf(call, tx, left), !sealed && { requireSealed });
    authorise(call, context, target);
    context.requireSealed?.(liveTargets(call, target));
    compareRevision(call, target, input.body);
    const answer = answerOf(call, await run(context, { ...input, target }));
    if (call.expired) refuse("overloaded", { retry_after: 1 });
    const ending = commitWrite(call, tx, left, claim, answer);
    tx.flush();
    // Builds the response while the database commits; returns it only afterwards.
    const outcome = { ...outcomeOf(answer, left.commandId), cookies: left.cookies };
    await ending;
    call.kernel.committed(left);
    return outcome;
  } finally {
    call.trips += tx.trips;
  }
}
