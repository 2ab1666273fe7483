// Rate limits that protect accounts, counted over all processes: wrong passwords and codes, mail to an address, and
// failures from an address. The counts are rows in PostgreSQL, keyed by a hash, and swept when they are empty. All
// other limits are per process, because a round-trip on every request would cost more than it protects.
import type { RateClass } from "@svc/contract/kit.ts";
import { sha256 } from "../wire/ids.ts";
import { type Decision, decisionAt, type Rates, rateLimiter } from "../wire/limits/rate-limit.ts";
import type { Pool } from "./db.ts";

/** Classes whose every request counts over all processes; other classes share only their failures, see countFailure. */
const SHARED: ReadonlySet<RateClass> = new Set<RateClass>(["password", "mail"]);
/** Tolerance in the comparison: neither interval nor timestamp has fractions of a microsecond. */
const ROUNDING_SECONDS = 0.001;

/**
 * The bucket is full again at full_at, as in platform/wire/limits/rate-limit.ts. Keys are sorted, so that two requests
 * cannot deadlock.
 */
const TAKE = `
with asked as (select decode(hex, 'hex') as key from unnest($1::text[]) hex order by hex), taken as (
  insert into attempt_limits as a (key, full_at) select key, now() + make_interval(secs => $2) from asked
  on conflict (key) do update set full_at = greatest(a.full_at, now()) + make_interval(secs => $2)
  where greatest(a.full_at, now()) + make_interval(secs => $2) <= now() + make_interval(secs => $3)
  returning a.key, a.full_at
)
select t.key is not null as allowed,
  extract(epoch from case when t.key is null then a.full_at else t.full_at end - now())::float8 as level
from asked left join taken t on t.key = asked.key left join attempt_limits a on a.key = asked.key`;
const GIVE = "update attempt_limits set full_at = full_at - make_interval(secs => $2) where key = $1";
export const SWEEP_ATTEMPTS = "delete from attempt_limits where full_at < now()";

/** The request that is limited: its tenant shares the database connections, and its round-trips are counted. */
interface Limited {
  tenant: string;
  trips: number;
}
const keyOf = (name: RateClass, subject: string) => sha256(`${name} ${subject}`);

export function attemptLimits(writer: Pool, rates: Rates) {
  const local = rateLimiter(rates);
  /** Takes one request from each subject's bucket; the fullest bucket decides. */
  async function takeShared(name: RateClass, subjects: readonly string[], call: Limited): Promise<Decision> {
    const { requests, seconds } = rates[name];
    const cost = seconds / requests;
    const keys = subjects.map((subject) => keyOf(name, subject).toString("hex"));
    call.trips++;
    const rows = await writer.use(
      (tx) => tx.rows<{ allowed: boolean; level: number | null }>(TAKE, [keys, cost, seconds + ROUNDING_SECONDS]),
      call.tenant,
    );
    // A row that another process has just inserted has no level here; the request is refused.
    const decisions = rows.map(({ allowed, level }) =>
      decisionAt(name, rates[name], allowed, (level ?? seconds) * 1000),
    );
    return decisions.reduce((worst, each) =>
      worst.allowed && !(each.allowed && each.remaining >= worst.remaining) ? each : worst,
    );
  }
  return {
    ...local,
    /** Takes one request for each subject, over all processes if the class protects accounts. */
    limit: (name: RateClass, subjects: readonly [string, ...string[]], call: Limited) =>
      SHARED.has(name)
        ? takeShared(name, subjects, call)
        : subjects.map((subject) => local.take(name, subject)).reduce((worst, each) => (worst.allowed ? each : worst)),
    /** Returns a request that was taken for an attempt that turned out not to fail. */
    async giveBack(name: RateClass, subject: string, call: Limited): Promise<void> {
      if (!SHARED.has(name)) return local.give(name, subject);
      const { requests, seconds } = rates[name];
      call.trips++;
      await writer.use((tx) => tx.rows(GIVE, [keyOf(name, subject), seconds / requests]), call.tenant);
    },
    /** Counts a failure at an address over all processes, and raises the local bucket to the shared count. */
    async countFailure(name: RateClass, address: string, call: Limited): Promise<Decision> {
      const decision = await takeShared(name, [`failures at ${address}`], call);
      local.raise(name, address, decision.level);
      return decision;
    },
  };
}
export type AttemptLimits = ReturnType<typeof attemptLimits>;
