// Argon2id hashing and verification of passwords. Slow by design: 17 ms and 19 MiB each, so only a few run
// concurrently, behind a gate and never inside a transaction. A flood of sign-ins gets 503 responses and does not
// starve the rest: a known account is one share of the queue, and so is each network of unknown callers.
import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { gate } from "../../../platform/wire/limits/concurrency-limit.ts";

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const atOnce = Math.max(1, Math.min(2, availableParallelism() - 1));
/**
 * Rest factor after each hash, applied if the event loop was busy since the last one: a rest of five times the hash's
 * duration limits a flood of sign-ins to a twelfth of two cores. Without other traffic there is no rest.
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
/**
 * The last in the queue waits about a second, and five with other traffic. A single share can have 32 waiting for each
 * slot.
 */
const enter = gate(atOnce, 48 * atOnce, rest);

export const { requireRoom } = enter;

/** NFC normalization: different keyboards send different code points for the same characters. Never trims. */
const spelled = (password: string) => password.normalize("NFC");

export const hashPassword = (password: string, share = "") => enter(share, () => hash(spelled(password), cost));

/** Hash of an unknown secret, with the same cost. */
export const DUMMY_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$gG0nwaAUwTfLsVZUz4t33A$47D5RYKQkyjsh0GvIIY2VMVs9TYGUmvctQDBTg5L5kI";

/**
 * 128 characters of two code units each, of which NFC composes at most four into one: a longer text cannot be a valid
 * password.
 */
const LONGEST = 1024;
/**
 * Runs exactly one verification of about the same duration for every input: an input that cannot match is verified
 * against DUMMY_HASH.
 */
export async function verifyPassword(stored: string | null, password: string, share = ""): Promise<boolean> {
  const possible = stored !== null && password.length <= LONGEST;
  const matches = await enter(share, () => verify(possible ? stored : DUMMY_HASH, spelled(password.slice(0, LONGEST))));
  return matches && possible;
}
