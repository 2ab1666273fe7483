// The second factor of the signed-in account, and the second step of sign-in. A password reset does not remove the
// factor: only the factor itself can. Every operation except the second step requires a recent authentication.
import * as contract from "@svc/contract/accounts/identity/second-factor.ts";
import type { Queries } from "../../platform/database/db.ts";
import { account, type EffectsContext, implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { recoveryCodesReplaced, secondFactorEnabled, secondFactorRemoved, secondFactorSetUp } from "./events.ts";
import { requirePassword } from "./passwords/password-rules.ts";
import { enterBrowser, factorRow, passSecondStep, proofOf, refuseCode } from "./sign-in.ts";
import { lockAccount } from "./store.ts";
import {
  newRecoveryCodes,
  newTotpSecret,
  provisioningUri,
  recoveryHash,
  stepOf,
  type TypedCode,
  typedCode,
} from "./two-factor/one-time-code.ts";
import { codesReplacedNotice, enabledNotice, removedNotice } from "./two-factor/second-factor-letters.ts";
import * as factors from "./two-factor/second-factor-store.ts";

const caller = ({ principal }: EffectsContext) => principal ?? refuse("authentication_required");
const about = (userId: string) => ({ kind: "account", id: userId });

export const setUpTotp = implementWithEffects(contract.setUpTotp, account(), (context) => {
  const { userId } = caller(context);
  const secret = newTotpSecret();
  const sealed = context.outside.secrets.seal(secret, factorRow(userId));
  return context.finish(async ({ tx, record }) => {
    const owner = await factors.setUpFactor(tx, userId, sealed);
    if (!owner) return refuse("mfa_already_enabled");
    record(secondFactorSetUp(about(userId)));
    return { provisioning_uri: provisioningUri(secret, owner.email), secret };
  });
});

export const confirmTotp = implementWithEffects(contract.confirmTotp, account(), (context, { body }) => {
  const { userId } = caller(context);
  const { digits } = typedCode(body.code);
  return context.finish(async ({ tx, record, defer, post }) => {
    const pending = await factors.lockFactor(tx, userId);
    if (!pending) return refuse("mfa_not_enabled");
    if (pending.confirmed) return refuse("mfa_already_enabled");
    const secret = context.outside.secrets.open(pending.secret_sealed, factorRow(userId));
    if (secret === null) return refuse("mfa_not_enabled");
    const step = digits === null ? null : stepOf(secret, digits, pending.now);
    if (step === null) return refuse("invalid_code");
    defer(factors.enableFactor(tx, userId, step));
    record(secondFactorEnabled(about(userId)));
    post(enabledNotice(pending.email));
    return newCodes(tx, userId, defer);
  });
});

/** Replaces all recovery codes with ten new ones. */
function newCodes(tx: Queries, userId: string, defer: (statement: Promise<unknown>) => void) {
  const codes = newRecoveryCodes();
  defer(factors.replaceRecoveryCodes(tx, userId, codes.map(recoveryHash)));
  return { recovery_codes: codes };
}

export const regenerateRecoveryCodes = implementWithEffects(
  contract.regenerateRecoveryCodes,
  account(),
  async (context, { body }) => {
    const { userId } = caller(context);
    const factor = await provenOwner(context, body.current_password);
    return context.finish(async ({ tx, record, defer, post }) => {
      await requireUnchanged(tx, factor);
      record(recoveryCodesReplaced(about(userId)));
      post(codesReplacedNotice(factor.email));
      return newCodes(tx, userId, defer);
    });
  },
);

export const deleteTotp = implementWithEffects(contract.deleteTotp, account(), async (context, { body }) => {
  const { userId } = caller(context);
  const typed = typedCode(body.code);
  const factor = await provenOwner(context, body.current_password, typed);
  const proof = await proofOf(context, factor, typed);
  if (!proof) return refuseCode(context, factor);
  return context.finish(async ({ tx, record, defer, post }) => {
    const [, used] = await Promise.all([requireUnchanged(tx, factor), factors.useProof(tx, factor, proof)]);
    if (!used) return refuse("invalid_code");
    defer(factors.removeFactor(tx, userId));
    record(secondFactorRemoved(about(userId)));
    post(removedNotice(factor.email));
  });
});

/** Verifies the current password and returns the caller's factor. */
async function provenOwner(context: EffectsContext, password?: string, typed?: TypedCode) {
  const { userId } = caller(context);
  const factor = await context.read((tx) => factors.factorOf(tx, userId, typed));
  if (!factor) return refuse("mfa_not_enabled");
  await requirePassword(context, factor.password_hash, password);
  return factor;
}

/** Locks the account and refuses if password or factor changed since they were verified. */
async function requireUnchanged(tx: Queries, { user_id, password_hash, secret_sealed }: factors.Factor): Promise<void> {
  const [, now] = await Promise.all([lockAccount(tx, user_id), factors.factorOf(tx, user_id)]);
  if (now?.secret_sealed !== secret_sealed) refuse("mfa_not_enabled");
  if (now?.password_hash !== password_hash) refuse("invalid_credentials");
}

export const verifySecondFactor = implementWithEffects(contract.verifySecondFactor, open(), (context, { body }) =>
  passSecondStep(context, { token: body.mfa_token, code: body.code, family: "browser" }, enterBrowser),
);
