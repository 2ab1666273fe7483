// Rate limits per credential and, before a credential is verified, per address. Each bucket is one number, the time at
// which it would be full again (GCRA), so that a limit costs a map lookup. Counted in this process; limits that protect
// accounts are counted over all processes, in platform/database/attempt-limits.ts.
import type { IncomingMessage } from "node:http";
import type { RateClass } from "@svc/contract/kit.ts";
import { clientAddress, networkOf, type Trust } from "../client-address.ts";

export interface RequestRate {
  /** Requests per window, all of which may come at once. */
  requests: number;
  seconds: number;
}
export type Rates = Record<RateClass | "refused", RequestRate>;

export const defaultRates: Rates = {
  read: { requests: 1200, seconds: 60 },
  write: { requests: 600, seconds: 60 },
  /**
   * Failures count per address, successes per subject that the operation names (account, device or network). The same
   * holds for `register` and `token`, whose callers are not signed in.
   */
  sign_in: { requests: 20, seconds: 60 },
  /**
   * Wrong passwords of one account, of one device that has signed in to it before, or of one network in which it is
   * signed in.
   */
  password: { requests: 10, seconds: 3600 },
  register: { requests: 20, seconds: 600 },
  /** Dynamic client registrations: they use up nothing that people need. */
  register_client: { requests: 20, seconds: 600 },
  /** Requests that make the service send mail to an address. */
  mail: { requests: 10, seconds: 600 },
  token: { requests: 120, seconds: 60 },
  /** Signed deliveries of other services: all of one provider may come from one address. */
  delivery: { requests: 60_000, seconds: 60 },
  /** Requests of one address that were refused for their credential. */
  refused: { requests: 120, seconds: 60 },
};

/** Parses `read=1200/60,sign_in=5/60`, which overrides the named defaults. */
export function parseRates(text: string): Rates {
  const rates = { ...defaultRates };
  for (const part of text.split(",")) {
    const [, name = "", requests, seconds] = /^\s*(\w+)=(\d{1,6})\/(\d{1,6})\s*$/.exec(part) ?? [];
    const rate = { requests: Number(requests), seconds: Number(seconds) };
    if (!Object.hasOwn(rates, name) || !(rate.requests > 0) || !(rate.seconds > 0))
      throw new Error(
        `"${part.trim()}" is not on, off or a limit like read=1200/60 (${Object.keys(rates).join(", ")})`,
      );
    rates[name as keyof Rates] = rate;
  }
  return rates;
}

/**
 * Tolerance for rounding: times are fractions, and must not change the last request of a burst or the remaining number.
 */
const ROUNDING_MS = 0.001;

export interface Decision {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full again; `retryAfter`: until the next request is allowed. */
  reset: number;
  retryAfter: number;
  windowSeconds: number;
  policy: string;
  /** Milliseconds until the bucket is full again. */
  level: number;
}

/** Decision for a bucket at this level, which includes the request if it was allowed. */
export function decisionAt(
  policy: keyof Rates,
  { requests, seconds }: RequestRate,
  allowed: boolean,
  level: number,
): Decision {
  const cost = (seconds * 1000) / requests;
  return {
    allowed,
    level,
    policy,
    limit: requests,
    windowSeconds: seconds,
    remaining: Math.max(0, Math.floor(requests - (level - ROUNDING_MS) / cost)),
    reset: Math.ceil(level / 1000),
    retryAfter: allowed ? 0 : Math.max(1, Math.ceil((level + cost - seconds * 1000) / 1000)),
  };
}

const MAX_BUCKETS = 100_000;

export function rateLimiter(rates: Rates = defaultRates, now: () => number = () => performance.now()) {
  const buckets = new Map<string, number>();
  function decide(name: keyof Rates, subject: string, take: boolean): Decision {
    const { requests, seconds } = rates[name];
    const key = `${name} ${subject}`;
    const cost = (seconds * 1000) / requests;
    const time = now();
    const full = Math.max(buckets.get(key) ?? 0, time);
    const after = full + cost;
    const allowed = after - time <= seconds * 1000 + ROUNDING_MS;
    if (allowed && take) {
      buckets.delete(key);
      buckets.set(key, after);
      if (buckets.size > MAX_BUCKETS) buckets.delete(buckets.keys().next().value as string);
    }
    return decisionAt(name, rates[name], allowed, (allowed && take ? after : full) - time);
  }
  return {
    take: (name: keyof Rates, subject: string) => decide(name, subject, true),
    /** Returns a request that was taken without need. */
    give(name: keyof Rates, subject: string): void {
      const [{ requests, seconds }, key] = [rates[name], `${name} ${subject}`];
      const full = buckets.get(key);
      if (full !== undefined) buckets.set(key, full - (seconds * 1000) / requests);
    },
    /** Raises a bucket to a level that was counted elsewhere. */
    raise(name: keyof Rates, subject: string, level: number): void {
      const key = `${name} ${subject}`;
      buckets.set(key, Math.max(buckets.get(key) ?? 0, now() + level));
    },
    /** Decides without taking. */
    peek: (name: keyof Rates, subject: string) => decide(name, subject, false),
  };
}

/** Counts a request for a public document against its address. Null if limits are off. */
export type TakeRead = (request: IncomingMessage) => Decision | null;
export const readsByAddress =
  (limits: Pick<ReturnType<typeof rateLimiter>, "take"> | null, trust: Trust): TakeRead =>
  (request) =>
    limits?.take("read", networkOf(clientAddress(request, trust))) ?? null;

export function rateHeaders(decision: Decision): Record<string, string> {
  const { policy, limit, remaining, reset, windowSeconds } = decision;
  return {
    "ratelimit-policy": `"${policy}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${reset}`,
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(reset),
  };
}
