// The two steps of signing in, for browsers and native clients: the password, and the second factor if the account has
// one. The caller's `enter` creates the session or the tokens in the same transaction. A challenge issued to one client
// family is invalid for the other.
import type { EffectsContext, EffectsTransaction, Rendered } from "../../platform/kernel/implement-operation.ts";
import { secretKind, sha256 } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { type AccountRow, accountAnswer, SELECT_ACCOUNT } from "../account/view.ts";
import { recoveryCodeUsed, secondFactorFailed, signedIn, signInChallenged } from "./events.ts";
import { guessed } from "./passwords/guesses.ts";
import { requireRoom, verifyPassword } from "./passwords/password.ts";
import { askedAddress, cookieMaxAge } from "./rules.ts";
import * as store from "./store.ts";
import { stepOf, type TypedCode, typedCode } from "./two-factor/one-time-code.ts";
import { recoveryCodeNotice, wrongCodesNotice } from "./two-factor/second-factor-letters.ts";
import * as factors from "./two-factor/second-factor-store.ts";

/** A caller who has passed every required step. */
export interface Entrant {
  userId: string;
  /** Rendered account, with the Workspace that the session starts in. */
  account: AccountRow;
  workspaceId: string | null;
  remembered: boolean;
  /** Context that the caller passed to the first step. */
  context: Record<string, unknown>;
}
export type Enter<T> = (transaction: EffectsTransaction, entrant: Entrant) => Promise<T>;

export interface FirstStep {
  email: string;
  password: string;
  family: factors.SessionFamily;
  remembered: boolean;
  context?: Record<string, unknown>;
}

// Locks the account against a concurrent password change, which revokes every session: this session is either created
// before it and revoked with the rest, or not created.
const SIGNING_IN = `${SELECT_ACCOUNT} for share of u`;
const about = (userId: string) => ({ kind: "account", id: userId });

/** Every failure gets the same refusal after the same work: one lookup and one verification. */
export async function passFirstStep<T>(
  effects: EffectsContext,
  { email: typed, password, family, remembered, context = {} }: FirstStep,
  enter: Enter<T>,
): Promise<T | factors.Challenge> {
  requireRoom();
  const email = askedAddress(typed);
  const found = await effects.read((tx) => store.signInOf(tx, email, effects.network));
  const guess = {
    userId: found?.id ?? null,
    account: `account ${sha256(email).toString("base64")}`,
    knownNetwork: found?.known_network ?? false,
  };
  const verified = await guessed(effects, guess, (share) =>
    verifyPassword(found?.password_hash ?? null, password, share),
  );
  if (!found || !verified) return refuse("invalid_credentials");
  const { id: userId, workspace_id: workspaceId, password_hash } = found;
  return effects.transaction(async (inside) => {
    const { tx, record, actAs } = inside;
    actAs(userId);
    const account = await tx.maybe<AccountRow>(SIGNING_IN, [userId, workspaceId]);
    if (account?.password_hash !== password_hash) return refuse("invalid_credentials");
    if (account.mfa_enabled) {
      record(signInChallenged(about(userId)));
      return factors.insertChallenge(tx, userId, family, remembered, context);
    }
    record(signedIn(about(userId), { workspace_id: workspaceId }));
    return enter(inside, { userId, account, workspaceId, remembered, context });
  });
}

export interface SecondStep {
  token: string;
  code: string;
  family: factors.SessionFamily;
}

/** Five wrong codes are refused as invalid; the sixth attempt, right or wrong, finds no open challenge. */
export async function passSecondStep<T>(
  effects: EffectsContext,
  { token, code, family }: SecondStep,
  enter: Enter<T>,
): Promise<T> {
  if (secretKind(token) !== "mfa") return refuse("invalid_challenge");
  const [hash, typed] = [sha256(token), typedCode(code)];
  const found = await effects.read((tx) => factors.challengedFactor(tx, hash, family, typed));
  if (!found) return refuse("invalid_challenge");
  const { user_id: userId, workspace_id: workspaceId } = found;
  const proof = await proofOf(effects, found, typed);
  if (!proof) return refuseCode(effects, found, hash);
  return effects.transaction(async (inside) => {
    const { tx, record, actAs } = inside;
    actAs(userId);
    const [account, challenge, used] = await Promise.all([
      tx.one<AccountRow>(SIGNING_IN, [userId, workspaceId]),
      factors.useChallenge(tx, hash),
      factors.useProof(tx, found, proof),
    ]);
    if (!challenge) return refuse("invalid_challenge");
    if (!used) return refuse("invalid_code");
    noteRecovery(inside, found, used.codes_left);
    record(signedIn(about(userId), { workspace_id: workspaceId }));
    return enter(inside, { userId, account, workspaceId, ...challenge });
  });
}

/**
 * Null if the code is wrong, which the caller must count. While the factor is locked, only recovery codes are accepted,
 * and, rate-limited, authenticator codes from a browser that has signed in to the account before: an attacker who knows
 * the password cannot lock out the owner.
 */
export async function proofOf(
  { outside, browser, limit }: EffectsContext,
  factor: factors.Factor,
  typed: TypedCode,
): Promise<factors.SecondFactorProof | null> {
  if (typed.digits === null) return factor.recovery ? { recovery: typed.hash } : null;
  const device = factor.closed === null ? null : browser.deviceOf(factor.user_id);
  if (factor.closed !== null && device === null) return refuse("rate_limited", { retry_after: factor.closed });
  if (device !== null) await limit("password", `code of device ${device} for ${factor.user_id}`);
  // Null if the sealing key was retired: then no authenticator code is valid, but recovery codes still are.
  const secret = outside.secrets.open(factor.secret_sealed, factorRow(factor.user_id));
  const step = secret === null ? null : stepOf(secret, typed.digits, factor.now);
  return step !== null && step > (factor.last_step ?? 0) ? { step, known: device !== null } : null;
}

/** Context that the sealed secret of an account is bound to. */
export const factorRow = (userId: string) => `second factor ${userId}`;

/**
 * Counts a wrong code against the account, whichever challenge it answered, and mails the owner after five and after
 * every 20 wrong codes.
 */
export async function refuseCode({ transaction }: EffectsContext, factor: factors.Factor, challenge?: Buffer) {
  await transaction(async ({ tx, record, actAs, post }) => {
    actAs(factor.user_id);
    const [open, wrong] = await Promise.all([
      challenge ? factors.failChallenge(tx, challenge) : { id: null },
      factors.countWrong(tx, factor.user_id),
    ]);
    if (!open) refuse("invalid_challenge");
    record(secondFactorFailed(about(factor.user_id), { wrong_codes: wrong }));
    if (wrong === 5 || wrong % factors.WRONG_CODES === 0) post(wrongCodesNotice(factor.email, wrong));
  });
  return refuse("invalid_code");
}

/** Records the use of a recovery code and mails the account owner. */
export function noteRecovery({ record, post }: EffectsTransaction, factor: factors.Factor, left: number | null): void {
  if (left === null) return;
  record(recoveryCodeUsed(about(factor.user_id), { codes_left: left }));
  post(recoveryCodeNotice(factor.email, left));
}

/** Completes a browser sign-in: creates the session, sets both cookies, and returns the account. */
export async function enterBrowser({ tx, cookies, client }: EffectsTransaction, entrant: Entrant): Promise<Rendered> {
  const { userId, workspaceId, remembered, account } = entrant;
  const secret = await store.insertSession(tx, userId, workspaceId, remembered, client);
  cookies.set(secret, cookieMaxAge(remembered));
  return accountAnswer(account, null);
}
