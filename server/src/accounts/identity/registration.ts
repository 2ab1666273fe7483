// Registration, for browsers and native clients: requires an unused address, a password that is not breached and a
// username, and mails the link that proves the address. An invitation to this address verifies it and joins its
// Workspace at once; the address is proved only by the mailed invitation token. The caller's `enter` creates the
// session or the tokens in the same transaction.
import type { Queries } from "../../platform/database/db.ts";
import type { EffectsContext, EffectsTransaction } from "../../platform/kernel/implement-operation.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { type AccountRow, SELECT_ACCOUNT } from "../account/view.ts";
import { findInvitation, type Invited, type Joined, join } from "../workspaces/invite/accept-invitation.ts";
import { putLink } from "./email/link-store.ts";
import { linkLetter } from "./email/recovery-letters.ts";
import { accountRegistered, emailVerified } from "./events.ts";
import { hashPassword, requireRoom } from "./passwords/password.ts";
import { refuseField, refuseWeak } from "./passwords/password-rules.ts";
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
  { read, transaction, outside, limit, network }: EffectsContext,
  {
    password,
    display_name: displayName,
    invitation_token: token,
    remember_me: remembered = true,
    ...body
  }: Registration,
  context: Record<string, unknown>,
  enter: Enter<T>,
): Promise<T> {
  requireRoom();
  const email = normalisedEmail(body.email);
  await refuseWeak(outside, password, email);
  const candidates = usernameCandidates(displayName, email);
  const [{ email_taken, usernames }, invited] = await read((tx) =>
    Promise.all([store.availability(tx, email, candidates), token && findInvitation(tx, token, null)]),
  );
  if (token !== undefined && (!invited || invited.expired || invited.email !== email)) return refuseInvitation();
  if (email_taken) refuseField("email_taken", "email", "belongs to an account already");
  // Registrations without an invitation share the network's limit; an invitation was already authorised by its sender.
  if (!invited) await limit("register", `accounts of ${network}`);
  const passwordHash = await hashPassword(password, network);
  return transaction(async (inside) => {
    const { record, actAs } = inside;
    const id = newId();
    actAs(id);
    record(accountRegistered({ kind: "account", id }));
    const insert = { usernames, id, email, displayName, passwordHash };
    const made = invited ? await joining(inside, insert, invited) : await alone(inside, insert, outside.origin());
    return enter(inside, { userId: id, ...made, remembered, context });
  });
}

const refuseInvitation = () => refuseField("invalid_invitation", "invitation_token", "is not a valid invitation");

type Insert = Omit<store.NewAccount, "username"> & { usernames: string[] };

async function alone({ tx, post }: EffectsTransaction, insert: Insert, origin: string) {
  const { id, email } = insert;
  const { account, beside } = await insertUnder(tx, insert, null, () => putLink(tx, id, "email_verification", email));
  post(linkLetter(origin, email, "email_verification", beside));
  return { account, workspaceId: null };
}

async function joining(inside: EffectsTransaction, insert: Insert, invited: Invited) {
  const { tx, record } = inside;
  const { id } = insert;
  const { account, beside } = await join(inside, invited, id, (enter) =>
    insertUnder<Joined>(tx, insert, invited.workspace_id, enter),
  );
  if (!beside.used) return refuseInvitation();
  record(emailVerified({ kind: "account", id }, { proved: beside.proved === true }));
  return { account, workspaceId: invited.workspace_id };
}

/**
 * Inserts with the first free username; if a concurrent registration takes it, with the last candidate, which is
 * practically unique. One round-trip each.
 */
async function insertUnder<T>(
  tx: Queries,
  { usernames, ...newAccount }: Insert,
  workspaceId: string | null,
  besides: () => Promise<T>,
) {
  for (const username of [usernames.at(0), usernames.at(-1)]) {
    if (username === undefined) continue;
    const [, beside, account] = await Promise.all([
      store.insertAccount(tx, { ...newAccount, username }),
      besides(),
      tx.maybe<AccountRow>(SELECT_ACCOUNT, [newAccount.id, workspaceId]),
    ]);
    if (account) return { account, beside };
  }
  return refuse("overloaded", { retry_after: 1 });
}
