// How often somebody may be wrong about the password of an account. Counted for the account, from wherever the attempts come; but a browser
// that has signed in to it before, and a network in which it is signed in now, count for themselves: a stranger who uses up the account's
// attempts does not keep its owner out. An address without an account is counted alike.
import type { EffectsContext } from "../../platform/kernel/implement.ts";
import { gate } from "../../platform/wire/gate.ts";

export interface Guessed {
  /** Null where there is no such account. */
  userId: string | null;
  /** Names the account where neither device nor network is known. */
  account: string;
  knownNetwork: boolean;
}

/** Whom the attempt counts for, and with whom it shares the processors: those who are known with nobody. */
function whose({ browser, network, principal }: EffectsContext, { userId, account, knownNetwork }: Guessed) {
  if (userId === null) return { subject: account, share: network };
  const device = browser.deviceOf(userId);
  if (device !== null) return { subject: `device ${device} for ${userId}`, share: userId };
  if (knownNetwork) return { subject: `network ${network} for ${userId}`, share: userId };
  return { subject: account, share: principal ? userId : network };
}

/**
 * Where a network keeps failing, those of it who are not known come one at a time, five in a second over all such networks, each network in its
 * turn: a right password waits and is not refused, and whoever tries a list of stolen ones gets no further. The last in line waits six seconds.
 */
const slowly = gate(1, 30, (workedMs) => Math.max(0, 200 - workedMs));

/**
 * Whether the attempt was right. Taken before it is looked at, so that many at once are no more than so many, and given back where it was no
 * wrong one. Above the limit nothing is looked at, not even a right password. Right ones have the limit of signing in.
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
