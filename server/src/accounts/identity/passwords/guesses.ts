// Rate limit for wrong passwords. Attempts count per account, wherever they come from; but a browser that has signed in
// to the account before, and a network with a live session of it, have counters of their own, so that an attacker who
// uses up the account's attempts cannot lock out its owner. An address without an account is counted the same way.
import type { EffectsContext } from "../../../platform/kernel/implement-operation.ts";
import { gate } from "../../../platform/wire/limits/concurrency-limit.ts";

export interface Guessed {
  /** Null if there is no such account. */
  userId: string | null;
  /** Counter key of the account if neither device nor network is known. */
  account: string;
  knownNetwork: boolean;
}

/**
 * The counter of the attempt, and the hashing queue share that it uses: known callers do not share theirs with others.
 */
function whose({ browser, network, principal }: EffectsContext, { userId, account, knownNetwork }: Guessed) {
  if (userId === null) return { subject: account, share: network };
  const device = browser.deviceOf(userId);
  if (device !== null) return { subject: `device ${device} for ${userId}`, share: userId };
  if (knownNetwork) return { subject: `network ${network} for ${userId}`, share: userId };
  return { subject: account, share: principal ? userId : network };
}

/**
 * Throttles unknown callers from failing networks: one at a time, five per second over all such networks, round-robin.
 * A correct password waits but is not refused, and credential stuffing is slowed down. The last in the queue waits six
 * seconds.
 */
const slowly = gate(1, 30, (workedMs) => Math.max(0, 200 - workedMs));

/**
 * Verifies a password attempt under the rate limit. The attempt is counted before verification, so that concurrent
 * attempts cannot exceed the limit, and refunded unless it was wrong. Above the limit nothing is verified, not even a
 * correct password. Successful attempts count against the sign-in limit.
 */
export async function guessed(
  context: EffectsContext,
  about: Guessed,
  attempt: (share: string) => Promise<boolean>,
): Promise<boolean> {
  const { subject, share } = whose(context, about);
  await context.limit("password", subject);
  let wrong = false;
  try {
    const look = () => attempt(share);
    wrong = !(await (context.failing && share === context.network ? slowly(share, look) : look()));
  } finally {
    if (!wrong) await context.giveBack("password", subject);
  }
  if (!wrong) await context.limit("sign_in", subject);
  return !wrong;
}
