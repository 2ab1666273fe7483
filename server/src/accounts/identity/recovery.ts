// Account recovery: verification links, reset links, and new passwords. Operations without authentication do the same
// work for every address, and the email is sent after the response. Hashing runs outside every transaction.
import * as contract from "@svc/contract/accounts/identity/recovery.ts";
import { account, type EffectsContext, implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import { newId, newSecret, sha256 } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import * as links from "./email/link-store.ts";
import { linkLetter, passwordNotice, reclaimedByMailNotice } from "./email/recovery-letters.ts";
import { passwordChanged, passwordReset } from "./events.ts";
import { hashPassword } from "./passwords/password.ts";
import { refuseWeak, requirePassword } from "./passwords/password-rules.ts";
import { reclaim } from "./reclaim-store.ts";
import { renew } from "./renewal.ts";
import { normalisedEmail } from "./rules.ts";
import * as store from "./store.ts";

/** If nobody may receive the email, it is rendered, sealed and queued all the same, and the worker discards it. */
function sendLink({ transaction, outside }: EffectsContext, given: string, forgotten: boolean): Promise<void> {
  const [email, token] = [normalisedEmail(given), newSecret("lnk")];
  return transaction(async ({ tx, actAs, post, enqueue }) => {
    const link = await links.putLinkFor(tx, forgotten, token, email);
    const kind = link?.kind ?? "email_verification";
    const letter = linkLetter(outside.origin(), email, kind, token);
    if (link) {
      actAs(link.user_id);
      post(letter);
    } else {
      const id = newId();
      enqueue("discard_mail", { id, sealed: outside.secrets.seal(JSON.stringify(letter), id) });
    }
  });
}

export const resendEmailVerification = implementWithEffects(
  contract.resendEmailVerification,
  open(),
  (context, { body }) => sendLink(context, body.email, false),
);

export const requestPasswordReset = implementWithEffects(contract.requestPasswordReset, open(), (context, { body }) =>
  sendLink(context, body.email, true),
);

export const resetPassword = implementWithEffects(contract.resetPassword, open(), async (context, { body }) => {
  const { read, transaction, outside, browser } = context;
  const link = await read((tx) => links.findLink(tx, "password_reset", body.token));
  if (!link) return refuse("invalid_link");
  const { user_id: userId, email } = link;
  await refuseWeak(outside, body.new_password, email, "new_password");
  const passwordHash = await hashPassword(body.new_password, userId);
  await transaction(async ({ tx, record, actAs, post }) => {
    actAs(userId);
    const [used] = await Promise.all([
      links.resetPassword(tx, body.token, passwordHash),
      store.revokeAccess(tx, userId, null, true),
    ]);
    if (!used) return refuse("invalid_link");
    // Someone without access to the address may have opened the account. Access to its mailbox gives the owner sole
    // access.
    if (!used.proved) await reclaim(tx, userId, passwordHash);
    record(passwordReset({ kind: "account", id: userId }, { reclaimed: !used.proved }));
    post(used.proved ? passwordNotice(email, true) : reclaimedByMailNotice(email));
  });
  // Access to the mailbox proves ownership: marks the browser as known, so that another caller's failed attempts cannot
  // rate-limit its sign-in.
  browser.know(userId);
});

export const changePassword = implementWithEffects(contract.changePassword, account(), async (context, { body }) => {
  const { principal, read, transaction, outside } = context;
  const { userId, credentialId: sessionId, secret } = principal ?? refuse("authentication_required");
  const { email, password_hash } = await read((tx) => store.passwordOf(tx, userId));
  if (password_hash === null) return refuse("password_not_set");
  const apiTokens = body.revoke_api_tokens ?? false;
  await requirePassword(context, password_hash, body.current_password);
  await refuseWeak(outside, body.new_password, email, "new_password");
  const next = await hashPassword(body.new_password, userId);
  await transaction(async (inside) => {
    const { tx, record, post } = inside;
    const [replaced, , renewed] = await Promise.all([
      store.replacePassword(tx, userId, password_hash, next),
      store.revokeAccess(tx, userId, sessionId, apiTokens),
      renew(inside, { userId, sessionId, secretHash: sha256(secret) }, null),
    ]);
    if (!replaced) return refuse("invalid_credentials");
    if (!renewed) return refuse("authentication_required");
    record(passwordChanged({ kind: "account", id: userId }, { api_tokens_revoked: apiTokens }));
    post(passwordNotice(email, apiTokens));
  });
});
