// Email change of an account. Whether the new address belongs to another account is revealed only to someone who has
// proved access to its mailbox.
import * as contract from "@svc/contract/accounts/identity/email-change.ts";
import { account, implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { ownAccount } from "../account/access.ts";
import { type AccountRow, accountAnswer, SELECT_ACCOUNT } from "../account/view.ts";
import { moveEmail, putLink } from "./email/link-store.ts";
import { emailChangeAskedNotice, emailChangedNotice, linkLetter } from "./email/recovery-letters.ts";
import { emailChanged, emailChangeRequested } from "./events.ts";
import { requirePassword } from "./passwords/password-rules.ts";
import { normalisedEmail } from "./rules.ts";
import { passwordOf } from "./store.ts";

export const requestEmailChange = implementWithEffects(
  contract.requestEmailChange,
  account(),
  async (context, { body }) => {
    const { principal, read, finish, limit, outside } = context;
    const { userId } = principal ?? refuse("authentication_required");
    const next = normalisedEmail(body.email);
    const { email, password_hash } = await read((tx) => passwordOf(tx, userId));
    await requirePassword(context, password_hash, body.current_password);
    if (next === email) return refuseSame();
    // Limits per account and per mailbox, so that neither one account nor many can flood a recipient.
    await limit("mail", `from ${userId}`, `to ${next}`);
    return finish(async ({ tx, record, post }) => {
      const token = await putLink(tx, userId, "email_change", next);
      record(emailChangeRequested({ kind: "account", id: userId }));
      post(linkLetter(outside.origin(), next, "email_change", token));
      post(emailChangeAskedNotice(email, next));
    });
  },
);

function refuseSame(): never {
  return refuseAt("/body/email", "invalid_request", "is your address already", "unchanged");
}

export const verifyEmailChange = implement(
  contract.verifyEmailChange,
  ownAccount(),
  async ({ tx, principal, record, post }, { body, target }) => {
    const { userId, workspaceId } = principal;
    const [found, row] = await Promise.all([
      moveEmail(tx, body.token, userId),
      tx.one<AccountRow>(SELECT_ACCOUNT, [userId, workspaceId]),
    ]);
    if (found?.taken) return refuse("email_taken");
    if (!found?.moved) return refuse("invalid_link");
    record(emailChanged({ kind: "account", id: userId }));
    post(emailChangedNotice(target.email, found.email));
    return accountAnswer(row, principal);
  },
);
