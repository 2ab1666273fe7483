// Rules for new passwords, the same for every operation that sets one, and verification of a signed-in person's current
// password.
import type { EffectsContext } from "../../../platform/kernel/implement-operation.ts";
import type { ExternalSystems } from "../../../platform/outside/external-systems.ts";
import { type Refusal, refuse, refuseAt } from "../../../platform/wire/problem.ts";
import { isOwnAddress } from "../rules.ts";
import { isInRange } from "./breach-range.ts";
import { isBreached } from "./breached-passwords.ts";
import { guessed } from "./guesses.ts";
import { verifyPassword } from "./password.ts";

/** Queries the range service only if the shipped list accepts the password. */
export async function refuseWeak(
  outside: ExternalSystems,
  password: string,
  email: string,
  field = "password",
): Promise<void> {
  if (isOwnAddress(password, email)) refuseField("password_breached", field, "must not be your own address");
  if (isBreached(password) || (await isInRange(outside.breachRange, password)))
    refuseField("password_breached", field, "is in a list of stolen passwords");
}

export const refuseField = (code: Refusal["code"], field: string, detail: string): never =>
  refuseAt(`/body/${field}`, code, detail);

/**
 * Verifies the current password. An account without a password has nothing to prove here; the operations that ask for
 * one also require a recent authentication. Attempts count against the account, so that a stolen session cannot get
 * more guesses by rotating its secret.
 */
export async function requirePassword(context: EffectsContext, stored: string | null, given = ""): Promise<void> {
  const { userId } = context.principal ?? refuse("authentication_required");
  if (stored === null) return;
  // Counted separately from sign-in attempts, which anyone can use up.
  const about = { userId, account: `session of ${userId}`, knownNetwork: false };
  if (!(await guessed(context, about, (share) => verifyPassword(stored, given, share)))) refuse("invalid_credentials");
}
