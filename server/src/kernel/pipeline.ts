// The life of a request, top to bottom. Every cross-cutting concern is here and nowhere else:
//
//   match -> maintenance -> rate limit -> credential -> body -> admission -> parse -> begin, authenticate -> csrf -> membership
//   -> idempotency replay, load target, authorise -> If-Match -> run -> events, audit, jobs, stored answer, commit -> answer
//
// Idempotency stands before target and If-Match, or the retry of a successful write would answer 404 or 409; membership stands
// before idempotency, or a removed member could replay. That is the order in which answers are decided. A write is tried as if its key were
// new, which it nearly always is: one that was kept stands in the way of the commit at the latest, and whatever stands in the way lets it be
// tried again with a look for the key. On the wire, authentication and load go out in one write, because the SQL asks the connection who is
// calling: a read takes 1 round-trip, a write 3, or 2 where the handler defers its statements to the commit.
import { errors } from "@svc/contract/errors.ts";
import { type AnyOperation, isPublic, isUnsafe, type RateClass } from "@svc/contract/kit.ts";
import { captured, shortly } from "../database/capture.ts";
import type { Connection } from "../database/db.ts";
import { placeOf } from "../database/journal.ts";
import { type Presented, presentedCredential } from "../wire/credential.ts";
import { gate } from "../wire/gate.ts";
import { asksBaseline, namesRevision } from "../wire/preconditions.ts";
import { Refusal, refuse } from "../wire/problem.ts";
import type { Outcome } from "../wire/send.ts";
import { answerOf, listOutcome, outcomeOf, replay, sealed } from "./answers.ts";
import { accepts, type Hold, isLive, unknownCredential, wrongKind } from "./authenticate.ts";
import type { Call } from "./call.ts";
import { contextOf, cursorAt, enqueueAll, NOTHING_TO_LEAVE, nothingLeft, settle, tenantOf } from "./context.ts";
import { effects } from "./effects.ts";
import { parsePath } from "./input.ts";
import {
  authorise,
  authorOf,
  claimFor,
  compareRevision,
  identify,
  keep,
  parsed,
  provesIntent,
  requireMembership,
  transacted,
  tried,
} from "./steps.ts";

export const NO_BODY = Buffer.alloc(0);

/** What is decided before the body is read; in nearly every case nothing is asked of the database for it. */
export const present = async (call: Call): Promise<Presented | undefined> =>
  isPublic(call.implementation.operation) ? sessionFor(call) : credentialFor(call);

export async function serve(call: Call, credential: Presented | undefined, body: Buffer): Promise<Outcome> {
  const { implementation } = call;
  const { operation } = implementation;
  if (countsFailures(operation)) return countingFailures(call, () => effects(call, credential, body));
  if (implementation.mode === "effects") return effects(call, credential, body);
  if (!credential) throw new Error(`${operation.id} is public and must be implemented with effects`);
  return isUnsafe(operation) ? write(call, credential, body) : read(call, credential);
}

/** What anybody may call with a secret of its own: a password, a code, a link, a refresh token; and registering. */
const SECRET: ReadonlySet<RateClass | undefined> = new Set<RateClass>(["sign_in", "register", "token"]);
const countsFailures = (operation: AnyOperation) => isPublic(operation) && SECRET.has(operation.limit);

/**
 * Of such an operation only what fails counts for the address, and above the limit it is told no more than that. What is right is never
 * refused for the failures of others. Taken before it is looked at, so that many at once are no more than so many, and given back where it
 * was no failure.
 */
async function countingFailures(call: Call, work: () => Promise<Outcome>): Promise<Outcome> {
  const { kernel, network, implementation } = call;
  const name = classOf(implementation.operation);
  const taken = kernel.limits?.take(name, network) ?? null;
  call.rate = taken;
  let failed = false;
  try {
    return await work();
  } catch (error) {
    failed = error instanceof Refusal && errors[error.code].status < 500 && error.code !== "rate_limited";
    if (failed && taken?.allowed === false) refuse("rate_limited", { retry_after: taken.retryAfter });
    throw error;
  } finally {
    if (!failed && taken?.allowed) {
      kernel.limits?.give(name, network);
      call.rate = kernel.limits?.peek(name, network) ?? null;
    }
  }
}

/** The session that a browser brings to a public page, if it is well-formed. Its requests are counted by address all the same. */
function sessionFor(call: Call): Presented | undefined {
  const { implementation, request, kernel, network } = call;
  const { operation } = implementation;
  if (countsFailures(operation)) call.rate = kernel.limits?.peek(classOf(operation), network) ?? null;
  else limitRate(call, undefined);
  if (!operation.browser || request.headers.authorization !== undefined) return undefined;
  try {
    return presentedCredential(request);
  } catch {
    return undefined;
  }
}

/** What is no credential is counted by address, and costs no lookup. */
function presentedBy(call: Call): Presented {
  try {
    return presentedCredential(call.request) ?? refuse("authentication_required");
  } catch (error) {
    limitRate(call, undefined);
    throw error;
  }
}

/**
 * Lookups that come to nothing are cheap, and many at once would still take the database from everybody else. Shared by tenant: a credential
 * that was good before does not stand in line with those that others make up.
 */
const inTurn = gate(2, 1000);
const classOf = (operation: AnyOperation): RateClass => operation.limit ?? (isUnsafe(operation) ? "write" : "read");

/**
 * A credential that the operation accepts. Where others at its address keep failing, and where its kind is not accepted, it is looked up by
 * itself and in turn before anything else is done for it: whoever is known goes on, whatever others did, and the rest is held off.
 */
async function credentialFor(call: Call): Promise<Presented> {
  const { kernel, network, implementation } = call;
  const presented = call.terms?.presented ?? presentedBy(call);
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
  limitRate(call, presented);
  if (!accepted) throw wrongKind(implementation.operation, presented);
  return presented;
}

/** Per credential, or per address where there is none. */
function limitRate(call: Call, presented: Presented | undefined): void {
  const { operation } = call.implementation;
  const subject = presented ? presented.hash.toString("base64") : call.network;
  call.rate = call.kernel.limits?.take(classOf(operation), subject) ?? null;
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

// ---- reading -------------------------------------------------------------------------------------------------------------------

function read(call: Call, presented: Presented): Promise<Outcome> {
  const { reader } = call.kernel.database;
  const once = (again: boolean) => reader.use((tx) => readOnce(call, tx, presented, again), call.tenant);
  const whole = async () => {
    const found = await once(false);
    if (!("unsealed" in found)) return found;
    // Without a place at the database: sealing needs some itself.
    await call.kernel.texts.seal(found.workspaceId, found.unsealed);
    return (await once(true)) as Outcome;
  };
  return call.implementation.operation.baseline === "always" ? captured(whole) : whole();
}
/** Somebody is writing in it: what they have written is written down before it is read. */
type Unsealed = { workspaceId: string; unsealed: string };

async function readOnce(call: Call, tx: Connection, presented: Presented, again: boolean): Promise<Outcome | Unsealed> {
  const { access, run, mode, operation } = call.implementation;
  const asked = operation.baseline === true && asksBaseline(call.request);
  try {
    const placing =
      asked || operation.baseline === "always" ? settle([tx.snapshot(), !asked && shortly(tx), placeOf(tx)]) : null;
    const identifying = identify(call, tx, presented, READING);
    const path = parsePath(call);
    const alone = mode === "list" || operation.rows ? null : broughtAlong(call, tx, 1);
    const loading =
      path.faults.length === 0 ? access.load(alone?.queries ?? tx, path.params, false).then(always, never) : null;
    // The database is at work while the query is looked at, but for a list, which is asked in the same round-trip.
    if (mode !== "list") tx.flush();
    const { input, refusal } = parsed(call, path, NO_BODY);
    // What a list refuses is told to those who may read it, and to nobody else.
    const brought = alone || !input ? alone : broughtAlong(call, tx, input.page.limit);
    const listing = mode === "list" && input ? run(brought?.queries ?? tx, input).then(always, never) : null;
    const [placed, { principal }, loaded, listed] = await settle([placing, identifying, loading, listing]);
    call.place = placed?.[2] ?? null;
    if (refusal) throw refusal;
    const target = loaded?.();
    requireMembership(call, principal);
    const context = contextOf(call, (operation.rows && brought?.queries) || tx, NOTHING_TO_LEAVE);
    authorise(call, context, target);
    if (!again && isUnsealed(target)) return { workspaceId: tenantOf(principal), unsealed: target.id };
    const outcome = listed
      ? listOutcome(call, principal, input, listed, brought?.included)
      : outcomeOf(answerOf(call, await run(context, { ...input, target }), brought?.included()));
    // A page that gave up looking does not stand anywhere.
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

const isUnsealed = (target: unknown): target is { id: string } =>
  (target as { unsealed?: boolean } | null | undefined)?.unsealed === true;

/** Nothing where nobody asks. A name that is not known is refused with the rest of the query. */
function broughtAlong({ kernel, implementation, search }: Call, tx: Connection, rows: number) {
  const { operation } = implementation;
  if (!operation.include || !search.includes("include=")) return null;
  const asked = new URLSearchParams(search).get("include") ?? "";
  return kernel.including(tx, operation, asked.split(","), rows);
}

// ---- writing -------------------------------------------------------------------------------------------------------------------

function write(call: Call, presented: Presented, body: Buffer): Promise<Outcome> {
  const { writer } = call.kernel.database;
  return tried(call, (again) =>
    transacted(call, () => writer.use((tx) => attemptWrite(call, tx, presented, body, again), call.tenant)),
  );
}

async function attemptWrite(
  call: Call,
  tx: Connection,
  presented: Presented,
  body: Buffer,
  again: boolean,
): Promise<Outcome> {
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
    // The database is at work while token, key and body are looked at.
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
    const context = contextOf(call, tx, left);
    authorise(call, context, target);
    compareRevision(call, target, input.body);
    const answer = answerOf(call, await run(context, { ...input, target }));
    if (call.expired) refuse("overloaded", { retry_after: 1 });
    const keeping = renew ? renew.kept(answer.body) : answer.body;
    const stored = claim ? { ...answer, body: sealed(call, claim, keeping) } : answer;
    const ending = settle([
      ...left.deferred,
      keep(tx, left, claim, stored),
      ...enqueueAll(tx, left, call.kernel.secrets),
      tx.commit(),
    ]);
    tx.flush();
    // Made while the database commits, and given out once it has.
    const outcome = { ...outcomeOf(answer, left.commandId), cookies: left.cookies };
    await ending;
    call.kernel.committed(left);
    return outcome;
  } finally {
    call.trips += tx.trips;
  }
}
