// An authenticator for tests, and accounts that have one.
import { Secret, TOTP } from "otpauth";
import { factorRow } from "../src/accounts/identity/sign-in.ts";
import { newTotpSecret, recoveryHash } from "../src/accounts/identity/two-factor/one-time-code.ts";
import {
  enableFactor,
  insertChallenge,
  replaceRecoveryCodes,
  setUpFactor,
} from "../src/accounts/identity/two-factor/second-factor-store.ts";
import { secretBox } from "../src/platform/wire/secret-box.ts";
import { type TestService, testKeys } from "./world.ts";

/** What an authenticator with this secret shows, now or some steps of 30 seconds away. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/** Waits out the end of a step, so that the code of a neighbour is still one when it arrives. */
export async function earlyInStep(): Promise<void> {
  const left = 30_000 - (Date.now() % 30_000);
  // A timer may fire a little before its time, which is then still the old step.
  if (left < 3000) await new Promise((resolve) => setTimeout(resolve, left + 50));
}

/** Six digits that none of the steps around now has. */
export function wrongCode(secret: string): string {
  const near = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !near.includes(code)) as string;
}

/** The account gets a factor with this secret, confirmed or only set up, and these recovery codes. */
export async function withFactor(
  running: TestService,
  userId: string,
  { secret = newTotpSecret(), confirmed = true, recoveryCodes = [] as string[] } = {},
): Promise<string> {
  const sealed = secretBox(testKeys).seal(secret, factorRow(userId));
  await running.database.writer.use(async (tx) => {
    await setUpFactor(tx, userId, sealed);
    if (confirmed) await enableFactor(tx, userId, 0);
    await replaceRecoveryCodes(tx, userId, recoveryCodes.map(recoveryHash));
  });
  return secret;
}

/** The token of an open challenge, without the cost of verifying a password. */
export const challengeFor = async (running: TestService, userId: string, family: "browser" | "native" = "browser") =>
  (await running.database.writer.use((tx) => insertChallenge(tx, userId, family, true, {}))).mfa_token;
