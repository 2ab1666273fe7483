// Passwords to Argon2id hashes and back to yes or no. Slow by design: 17 ms and 19 MiB each, so at most a few at once, behind a
// gate and never inside a transaction. A flood of sign-ins is answered 503 and does not starve the rest: a share is whoever is known, and a
// network of those who are not.
import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { gate } from "../../platform/wire/gate.ts";

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const atOnce = Math.max(1, Math.min(2, availableParallelism() - 1));
/**
 * How much of the event loop was busy since the last hash: with other traffic, every hash is followed by a rest of five times its length, so
 * that a flood of sign-ins takes a twelfth of two cores; without, by none.
 */
export const pace = { restTimes: 5 };
let measured = performance.eventLoopUtilization();
function rest(workedMs: number): number {
  const now = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(now, measured);
  measured = now;
  return utilization > BUSY ? workedMs * pace.restTimes : 0;
}
const BUSY = 0.5;
/** The last in line waits about a second, and five with other traffic. One share alone has 32 waiting for each place. */
const enter = gate(atOnce, 48 * atOnce, rest);

export const { requireRoom } = enter;

/** One spelling for what different keyboards send for the same characters. Never trimmed. */
const spelled = (password: string) => password.normalize("NFC");

export const hashPassword = (password: string, share = "") => enter(share, () => hash(spelled(password), cost));

/** The hash of a secret that nobody knows, at the same cost. */
export const DUMMY_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$gG0nwaAUwTfLsVZUz4t33A$47D5RYKQkyjsh0GvIIY2VMVs9TYGUmvctQDBTg5L5kI";

/** 128 characters of two code units each, of which NFC makes one out of four at most: a longer text is nobody's password. */
const LONGEST = 1024;
/** Exactly one verification, of about the same length, whatever was given: what cannot match is compared with what nothing matches. */
export async function verifyPassword(stored: string | null, password: string, share = ""): Promise<boolean> {
  const possible = stored !== null && password.length <= LONGEST;
  const matches = await enter(share, () => verify(possible ? stored : DUMMY_HASH, spelled(password.slice(0, LONGEST))));
  return matches && possible;
}
