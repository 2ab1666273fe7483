// A new account, for browsers and native clients alike: an address that nobody has, a password that nobody has stolen, a username, and a
// letter with the link that proves the address. What getting in then means is the caller's `enter`, within the same transaction.
import { type AccountRow, SELECT_ACCOUNT } from "../account/view.ts";
import type { Queries } from "../kernel/db.ts";
import { newId } from "../kernel/ids.ts";
import type { EffectsContext } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import { accountRegistered } from "./events.ts";
import { putLink } from "./link-store.ts";
import { hashPassword, requireRoom } from "./password.ts";
import { refuseField, refuseWeak } from "./password-rules.ts";
import { linkLetter } from "./recovery-letters.ts";
import { normalisedEmail, usernameCandidates } from "./rules.ts";
import type { Enter } from "./sign-in.ts";
import * as store from "./store.ts";

export interface Registration {
  email: string;
  password: string;
  display_name: string;
  invitation_token?: string;
  remember_me?: boolean;
}

export async function registerAccount<T>(
  { read, transaction, outside }: EffectsContext,
  { password, display_name: displayName, invitation_token, remember_me: remembered = true, ...body }: Registration,
  context: Record<string, unknown>,
  enter: Enter<T>,
): Promise<T> {
  if (invitation_token !== undefined)
    refuseField("invalid_invitation", "invitation_token", "is not a valid invitation");
  requireRoom();
  const email = normalisedEmail(body.email);
  await refuseWeak(outside, password, email);
  const candidates = usernameCandidates(displayName, email);
  const { email_taken, usernames } = await read((tx) => store.availability(tx, email, candidates));
  if (email_taken) refuseField("email_taken", "email", "belongs to an account already");
  const passwordHash = await hashPassword(password);
  return transaction(async (inside) => {
    const { tx, record, actAs, post } = inside;
    const id = newId();
    actAs(id);
    const { account, token } = await insertUnder(tx, usernames, { id, email, displayName, passwordHash });
    record(accountRegistered({ kind: "account", id }));
    post(linkLetter(outside.origin(), email, "email_verification", token));
    return enter(inside, { userId: id, account, workspaceId: null, remembered, context });
  });
}

/** The first free one; if that is lost to a twin meanwhile, the last, which is as good as unique. In one round-trip each. */
async function insertUnder(tx: Queries, usernames: string[], newAccount: Omit<store.NewAccount, "username">) {
  const { id, email } = newAccount;
  for (const username of [usernames.at(0), usernames.at(-1)]) {
    if (username === undefined) continue;
    const [, account, token] = await Promise.all([
      store.insertAccount(tx, { ...newAccount, username }),
      tx.maybe<AccountRow>(SELECT_ACCOUNT, [id, null]),
      putLink(tx, id, "email_verification", email),
    ]);
    if (account) return { account, token };
  }
  return refuse("overloaded", { retry_after: 1 });
}
