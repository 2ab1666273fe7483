// How often somebody may be wrong about the password of an account. Counted for the account, from wherever the attempts come; but a browser
// that has signed in to it before, and a network in which it is signed in now, count for themselves: a stranger who uses up the account's
// attempts does not keep its owner out. An address without an account is counted alike.
import type { EffectsContext } from "../kernel/implement.ts";

export interface Guessed {
  /** Null where there is no such account. */
  userId: string | null;
  /** Names the account where neither device nor network is known. */
  account: string;
  knownNetwork: boolean;
}

function subjectOf({ browser, network }: EffectsContext, { userId, account, knownNetwork }: Guessed): string {
  const device = userId === null ? null : browser.deviceOf(userId);
  if (device !== null) return `device ${device} for ${userId}`;
  return knownNetwork ? `network ${network} for ${userId}` : account;
}

/**
 * Whether the attempt was right. Taken before it is looked at, so that many at once are no more than so many, and given back where it was no
 * wrong one. Above the limit nothing is looked at, not even a right password.
 */
export async function guessed(
  context: EffectsContext,
  about: Guessed,
  attempt: () => Promise<boolean>,
): Promise<boolean> {
  const subject = subjectOf(context, about);
  context.limit("password", subject);
  let wrong = false;
  try {
    wrong = !(await attempt());
  } finally {
    if (!wrong) context.giveBack("password", subject);
  }
  return !wrong;
}
