// Runs operations with effects: slow work, or calls to other services, within the request. They run outside any
// transaction and open short ones of their own. Their target is loaded and checked first, as for every other operation.
import { isPublic, type RateClass, successStatus } from "@svc/contract/kit.ts";
import type { Connection } from "../database/db.ts";
import { clientOf } from "../wire/client-address.ts";
import { browserOf, keepsSession } from "../wire/cookies.ts";
import type { Presented } from "../wire/credential.ts";
import { namesRevision } from "../wire/input/preconditions.ts";
import { Refusal, refuse } from "../wire/problem.ts";
import type { HttpAnswer } from "../wire/send-answer.ts";
import { answerOf, NO_ANSWER, outcomeOf, replay } from "./answers.ts";
import type { Call } from "./call.ts";
import { callerOf, contextOf, cookieJar, NOTHING_TO_LEAVE, nothingLeft, SET_CALLER, settle } from "./context.ts";
import type { EffectsContext, EffectsTransaction } from "./implement-operation.ts";
import { type Input, parsePath } from "./input.ts";
import type { Answer, Claim, StoredAnswer, WriteLog } from "./ledger.ts";
import {
  authorise,
  authorOf,
  claimFor,
  commitWrite,
  compareRevision,
  identify,
  inProgressIfTwin,
  isStateful,
  liveTargets,
  parsed,
  requireMembership,
  transacted,
} from "./steps.ts";

interface Known {
  kept: StoredAnswer | null;
  target: unknown;
}
const NOBODY: Known = { kept: null, target: null };

/** Never retries the operation, only its transactions: its external effects may not be repeatable. */
export async function effects(call: Call, presented: Presented | undefined, body: Buffer): Promise<HttpAnswer> {
  const { claim, refusal: unkeyed } = presented ? claimFor(call, body) : { claim: null };
  const { input, refusal } = parsed(call, parsePath(call), body);
  let { kept, target } = presented ? await know(call, presented, claim, input) : NOBODY;
  const { principal, kernel } = call;
  if (refusal) throw refusal;
  if (principal) requireMembership(call, principal);
  if (unkeyed) throw unkeyed;
  if (claim && kept) return replay(call, claim, kept);
  if (principal) {
    authorise(call, contextOf(call, NO_CONNECTION, NOTHING_TO_LEAVE), target);
    const live = liveTargets(call, target);
    await settle(live.map((id) => kernel.texts.seal(principal.membership?.workspaceId ?? "", id)));
    if (live.length > 0 && presented) target = (await know(call, presented, claim, input)).target ?? target;
    compareRevision(call, target, input.body);
  }
  const left = nothingLeft(authorOf(call, principal));
  const isHead = call.request.method === "HEAD";
  if (isHead && call.implementation.operation.costs) return unwritten(call);
  let committed: string | undefined;
  let finishing = false;
  const within = async <T>(kept: Claim | null, work: (context: EffectsTransaction) => Promise<T>) => {
    if (isHead) throw UNWRITTEN;
    const result = await transaction(call, left, kept, work);
    if (!isPublic(call.implementation.operation)) committed = left.commandId;
    return result;
  };
  const context: EffectsContext = {
    principal,
    get member() {
      return principal?.membership ?? refuse("not_found");
    },
    network: call.network,
    namesRevision: namesRevision(call.request),
    failing: call.rate?.allowed === false,
    limit: (name, ...subjects) => limitSubjects(call, name, subjects),
    giveBack: async (name, subject) => kernel.limits?.giveBack(name, subject, call),
    outside: kernel.outside,
    sent: { request: call.request, body },
    cookies: cookieJar(left),
    browser: browserOf(call.request, left.cookies, kernel.secrets),
    read: (work, workspaceId) =>
      counted(call, async (connection) => {
        // Sets the caller again, because another request may have used the connection meanwhile.
        const caller = callerOf(principal, workspaceId);
        const [, result] = await settle([connection.rows(SET_CALLER, [...caller, false]), work(connection)]);
        return result;
      }),
    transaction: (work) => within(null, work),
    finish: (work) => {
      finishing = true;
      return within(claim, work);
    },
  };
  let answer: Answer;
  try {
    answer = answerOf(call, await call.implementation.run(context, { ...input, target }));
  } catch (error) {
    if (error === UNWRITTEN) return unwritten(call);
    // A concurrent twin may have caused the refusal: if it committed a response, return that.
    if (!presented || !claim || !isStateful(error)) throw error;
    const twin = await know(call, presented, claim, undefined);
    if (!twin.kept) throw inProgressIfTwin(error);
    return replay(call, claim, twin.kept);
  }
  const { userId } = left.author;
  if (userId !== null && keepsSession(left.cookies)) context.browser.know(userId);
  if (claim && !finishing) throw new Error(`${call.implementation.operation.id} honours a key and did not finish`);
  return { ...outcomeOf(answer, committed), cookies: isHead ? [] : left.cookies };
}

/** Ends a HEAD request before its first write: it uses up no link and no code, and sets no cookie. */
const UNWRITTEN = new Error("a HEAD request writes nothing");
const unwritten = ({ implementation: { operation } }: Call): HttpAnswer => ({
  status: successStatus(operation),
  body: "",
  headers: operation.schemas.result ? { "content-type": "application/json; charset=utf-8" } : {},
  cookies: [],
});

/** Placeholder connection: permission checks must not query the database. */
const NO_CONNECTION = {} as Connection;

/** Loads caller, stored response and target in one round-trip. On a public page a dead session counts as none. */
async function know(call: Call, presented: Presented, claim: Claim | null, input: Input | undefined): Promise<Known> {
  const { operation, access, renew } = call.implementation;
  try {
    return await counted(call, async (tx) => {
      const identifying = identify(call, tx, presented, { local: false, claim });
      const loading = input ? access.load(tx, input.params, false) : null;
      const [{ kept }, target] = await settle([identifying, loading]);
      return { kept: renew && kept ? { ...kept, body: await renew.now(tx, kept.body) } : kept, target };
    });
  } catch (error) {
    if (error instanceof Refusal && isPublic(operation)) return NOBODY;
    throw error;
  }
}

async function limitSubjects(call: Call, name: RateClass, subjects: [string, ...string[]]): Promise<void> {
  const decision = await call.kernel.limits?.limit(name, subjects, call);
  if (decision && !decision.allowed) refuse("rate_limited", { retry_after: decision.retryAfter });
}

function counted<T>(call: Call, work: (connection: Connection) => Promise<T>): Promise<T> {
  return call.kernel.database.reader.use(async (connection) => {
    try {
      return await work(connection);
    } finally {
      call.trips += connection.trips;
    }
  }, call.tenant);
}

function transaction<T>(
  call: Call,
  left: WriteLog,
  claim: Claim | null,
  work: (context: EffectsTransaction) => Promise<T>,
): Promise<T> {
  const { cookies } = left;
  const before = cookies.length;
  const attempt = async (tx: Connection) => {
    const { principal } = call;
    cookies.length = before;
    Object.assign(left, { ...nothingLeft(authorOf(call, principal)), cookies });
    try {
      const starting = settle([tx.begin(), tx.rows(SET_CALLER, [...callerOf(principal), true])]);
      const actAs = (userId: string) => {
        left.author.userId = userId;
      };
      // Sends the first statements of the work together with BEGIN.
      const working = work(
        Object.assign(contextOf(call, tx, left), { actAs, client: clientOf(call.request, call.address) }),
      );
      const [, result] = await settle([starting, working]);
      if (call.expired) refuse("overloaded", { retry_after: 1 });
      const answer = claim ? answerOf(call, result) : NO_ANSWER;
      await commitWrite(call, tx, left, claim, answer);
      call.kernel.committed(left);
      return result;
    } finally {
      call.trips += tx.trips;
    }
  };
  return transacted(call, () => call.kernel.database.writer.use(attempt, call.tenant));
}
