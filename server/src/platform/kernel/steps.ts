// Steps shared by all paths through the pipeline: input, authentication, access, idempotency key, revision, and ledger.
// The pipeline decides their order.
import { type AnyOperation, isUnsafe, needsIfMatch, takesIfMatch, takesKey } from "@svc/contract/kit.ts";
import type { Connection } from "../database/db.ts";
import { hasCsrfToken, isForeign, type Presented } from "../wire/credential.ts";
import { idempotencyKey, ifMatch, namesRevision } from "../wire/input/preconditions.ts";
import { Refusal, refuse } from "../wire/problem.ts";
import { sealed } from "./answers.ts";
import { authenticate, type Hold, type Principal, type Reach, requireRecent } from "./authentication.ts";
import type { Call } from "./call.ts";
import { enqueueAll, settle, tenantOf } from "./context.ts";
import type { Context, Permission } from "./implement-operation.ts";
import { type Input, type Path, parseInput, requireWorkspace, workspaceOf } from "./input.ts";
import { type Answer, type Author, type Claim, claimOf, isTwin, type WriteLog, writeLedger } from "./ledger.ts";

function reachOf(call: Call): Reach {
  return { workspaceId: workspaceOf(call), into: call.implementation.access.reach };
}

/** Defers faults of the input until the caller is known: 401 and 403 come first. */
export function parsed(
  call: Call,
  path: Path,
  body: Buffer,
): { input: Input; refusal?: undefined } | { input?: undefined; refusal: Refusal } {
  try {
    return { input: parseInput(call, path, body) };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    throw error;
  }
}

/**
 * Whether the request proves its origin: a session needs its CSRF token for unsafe methods, and a read with costs must
 * not come from another site. Checked once, as soon as there is time.
 */
export function provesIntent(call: Call, presented: Presented): boolean {
  const { operation } = call.implementation;
  call.proven ??=
    presented.kind !== "session" ||
    (isUnsafe(operation) ? hasCsrfToken(call.request, presented) : !(operation.costs && isForeign(call.request)));
  return call.proven;
}

export async function identify(call: Call, tx: Connection, presented: Presented, hold: Hold) {
  const { kernel, implementation } = call;
  const { operation } = implementation;
  try {
    const reach = reachOf(call);
    const { principal, kept } = await authenticate(tx, operation, presented, reach, hold, kernel.touch, call.terms);
    call.principal = principal;
    call.tenant = kernel.tenants.learn(presented, principal);
    if (!provesIntent(call, presented)) refuse("invalid_csrf_token");
    if (operation.recentAuth) requireRecent(principal);
    return { principal, kept };
  } catch (error) {
    if (error instanceof Refusal && !call.principal) kernel.limits?.take("refused", call.network);
    throw error;
  }
}

export function requireMembership(call: Call, principal: Principal): void {
  const { reach } = call.implementation.access;
  if (reach === "anywhere" || reach === "named") requireWorkspace(call, false);
  if (reach !== "membership" && reach !== "own") return;
  requireWorkspace(call, principal.kind === "native" && principal.workspaceId === null);
  if (!principal.membership) refuse("not_found");
}

export function authorise(call: Call, context: Context, target: unknown): void {
  if (target === undefined) refuse("not_found");
  requirePermission(call.implementation.access.permits(context, target));
}

export function requirePermission(permission: Permission): void {
  if (permission !== true) refuse(permission || "forbidden");
}

const TRANSIENT = new Set(["40001", "40P01"]);
const LOCK_TIMEOUT = "55P03";
const codeOf = (error: unknown) => (error as { code?: string }).code ?? "";

/** Whether a write was refused because of the state that it found: by us, or by a constraint. */
export const isStateful = (error: unknown) =>
  error instanceof Refusal ? error.code !== "idempotency_in_progress" : codeOf(error).startsWith("23");

/** Runs a transaction up to three times: a serialisation failure or deadlock leaves nothing behind. */
export async function transacted<T>(call: Call, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!TRANSIENT.has(codeOf(error)) || attempt === 3 || call.expired) throw error;
    }
  }
}

/** Retries a failed write with a key once, with a lookup: it, or its twin, may have stored a response meanwhile. */
export async function tried<T>(call: Call, work: (again: boolean) => Promise<T>): Promise<T> {
  for (let again = false; ; again = true) {
    try {
      return await work(again);
    } catch (error) {
      if (!again && call.unkept && isStateful(error) && !call.expired) continue;
      throw inProgressIfTwin(error);
    }
  }
}

/** A key that is taken without a visible response belongs to a request in progress. */
export const inProgressIfTwin = (error: unknown) =>
  isTwin(error) ? new Refusal("idempotency_in_progress", { retry_after: 1 }) : error;

/** Writes the ledger. A twin that holds the key for longer than the lock time-out is still in progress. */
async function keep(tx: Connection, left: WriteLog, claim: Claim | null, answer: Answer) {
  try {
    await writeLedger(tx, left, claim, answer);
  } catch (error) {
    if (claim && codeOf(error) === LOCK_TIMEOUT) refuse("idempotency_in_progress", { retry_after: 1 });
    throw error;
  }
}

/** Ends a write in one round trip: deferred statements, the ledger with the key's response, jobs, and the commit. */
export function commitWrite(call: Call, tx: Connection, left: WriteLog, claim: Claim | null, answer: Answer) {
  const stored = claim ? { ...answer, body: sealed(call, claim, answer.body) } : answer;
  const ledger = keep(tx, left, claim, stored);
  return settle([...left.deferred, ledger, ...enqueueAll(tx, left, call.kernel.secrets), tx.commit()]);
}

/** Returns the fault of a missing or malformed key, which is refused only once the caller is known. */
export function claimFor(call: Call, body: Buffer): { claim: Claim | null; refusal?: Refusal } {
  const { operation } = call.implementation;
  if (!takesKey(operation)) return { claim: null };
  try {
    const key = idempotencyKey(call.request);
    if (key === undefined && operation.idempotencyKey === "required") refuse("idempotency_key_required");
    if (key === undefined) return { claim: null };
    const request = [call.request.url as string, call.request.headers["if-match"] ?? ""];
    return { claim: { ...claimOf(key, operation.id, request, body), replaces: call.terms?.replaces } };
  } catch (error) {
    return { claim: null, refusal: error as Refusal };
  }
}

export function compareRevision(
  { implementation: { operation }, request }: Call,
  target: unknown,
  body: unknown,
): void {
  if (takesIfMatch(operation)) requireRevision(operation, ifMatch(request), target, body);
}
/** Ids of targets with an open collaboration session, if the caller names a revision: they are checkpointed first. */
export const liveTargets = ({ request }: Call, target: unknown): string[] =>
  (target as { live?: boolean } | null)?.live && namesRevision(request) ? [(target as { id: string }).id] : [];
/** Compares the revision of the row that the load has locked, or that the change itself compares again. */
export function requireRevision(
  operation: AnyOperation,
  expected: string | undefined,
  target: unknown,
  body: unknown,
): void {
  if (expected === undefined && needsIfMatch(operation, body)) refuse("if_match_required");
  const current = (target as { revision?: string } | null)?.revision;
  if (expected === undefined) return;
  if (current === undefined) throw new Error(`${operation.id} loads no revision to compare`);
  if (expected === "*") return;
  if (expected !== current) refuse("revision_conflict", { current_revision: current });
}

export function authorOf(call: Call, principal: Principal | null): Author {
  return {
    tenant: tenantOf(principal),
    operation: call.implementation.operation.id,
    userId: principal?.accountId ?? null,
    actorId: principal?.membership?.actorId ?? null,
    credentialId: principal?.credentialId ?? null,
    credentialKind: principal?.kind ?? null,
    client: principal?.client ?? null,
    correlationId: call.correlationId,
    targetId: Object.values(call.params).at(-1) ?? null,
  };
}
