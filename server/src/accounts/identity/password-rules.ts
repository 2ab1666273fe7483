// What a new password must not be, the same wherever one is set; and how a signed-in person proves the present one.
import type { EffectsContext } from "../../platform/kernel/implement.ts";
import type { Outside } from "../../platform/outside/outside.ts";
import { type Refusal, refuse, refuseAt } from "../../platform/wire/problem.ts";
import { isInRange } from "./breach-range.ts";
import { isBreached } from "./breached-passwords.ts";
import { guessed } from "./guesses.ts";
import { verifyPassword } from "./password.ts";
import { isOwnAddress } from "./rules.ts";

/** Asks nobody outside about a password that the shipped list refuses already. */
export async function refuseWeak(outside: Outside, password: string, email: string, field = "password"): Promise<void> {
  if (isOwnAddress(password, email)) refuseField("password_breached", field, "must not be your own address");
  if (isBreached(password) || (await isInRange(outside.breachRange, password)))
    refuseField("password_breached", field, "is in a list of stolen passwords");
}

export const refuseField = (code: Refusal["code"], field: string, detail: string): never =>
  refuseAt(`/body/${field}`, code, detail);

/**
 * Where the account has no password there is none to prove: what asks for one needs a recent authentication too. Attempts count for the
 * account: a stolen session cannot try passwords, however often it changes its secret.
 */
export async function requirePassword(context: EffectsContext, stored: string | null, given = ""): Promise<void> {
  const { userId } = context.principal ?? refuse("authentication_required");
  if (stored === null) return;
  // Apart from those at sign-in, which anybody can use up.
  const about = { userId, account: `session of ${userId}`, knownNetwork: false };
  if (!(await guessed(context, about, (share) => verifyPassword(stored, given, share)))) refuse("invalid_credentials");
}
