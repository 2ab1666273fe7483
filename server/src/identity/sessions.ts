// Getting in and out with a password, and the browser session that follows. Hashing stands outside every transaction; every failed
// sign-in is the same answer after the same work.
import * as contract from "@svc/contract/identity/sessions.ts";
import { type AccountRow, SELECT_ACCOUNT } from "../account/view.ts";
import type { Queries } from "../kernel/db.ts";
import { csrfTokenOf, newId } from "../kernel/ids.ts";
import { account, implement, implementWithEffects, open } from "../kernel/implement.ts";
import { Refusal, refuse } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import { isBreached } from "./breached-passwords.ts";
import { accountRegistered, sessionWorkspaceChanged, signedIn, signedOut } from "./events.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import { cookieMaxAge, isOwnAddress, normalisedEmail, usernameCandidates } from "./rules.ts";
import * as store from "./store.ts";

export const register = implementWithEffects(contract.register, open(), async (context, { body }) => {
  const { read, transaction, cookies } = context;
  if (body.invitation_token !== undefined)
    refuseField("invalid_invitation", "invitation_token", "is not a valid invitation");
  const email = normalisedEmail(body.email);
  refuseWeak(body.password, email);
  const candidates = usernameCandidates(body.display_name, email);
  const { email_taken, usernames } = await read((tx) => store.availability(tx, email, candidates));
  if (email_taken) refuseField("email_taken", "email", "belongs to an account already");
  const passwordHash = await hashPassword(body.password);
  const remembered = body.remember_me ?? true;
  return transaction(async ({ tx, record, actAs }) => {
    const id = newId();
    actAs(id);
    await insertUnder(tx, usernames, { id, email, displayName: body.display_name, passwordHash });
    const [row, secret] = await Promise.all([
      tx.one<AccountRow>(SELECT_ACCOUNT, [id, null]),
      store.insertSession(tx, id, null, remembered),
    ]);
    record(accountRegistered({ kind: "account", id }));
    cookies.set(secret, cookieMaxAge(remembered));
    return render(row, row.capabilities);
  });
});

/** The first free one; if that is lost to a twin meanwhile, the last, which is as good as unique. */
async function insertUnder(tx: Queries, usernames: string[], newAccount: Omit<store.NewAccount, "username">) {
  for (const username of [usernames.at(0), usernames.at(-1)])
    if (username !== undefined && (await store.insertAccount(tx, { ...newAccount, username }))) return;
  refuse("overloaded", { retry_after: 1 });
}

function refuseWeak(password: string, email: string): void {
  if (isOwnAddress(password, email)) refuseField("password_breached", "password", "must not be your own address");
  if (isBreached(password)) refuseField("password_breached", "password", "is in a list of stolen passwords");
}

const refuseField = (code: Refusal["code"], field: string, detail: string): never =>
  refuse(code, { errors: [{ pointer: `/body/${field}`, code, detail }] });

// Locked against a change of the password, which revokes every session: this one is then either before it or does not come to be.
const SIGNING_IN = `${SELECT_ACCOUNT} for share of u`;

export const login = implementWithEffects(contract.login, open(), async (context, { body }) => {
  const { read, transaction, cookies } = context;
  const found = await read((tx) => store.signInOf(tx, normalisedEmail(body.email)));
  const verified = await verifyPassword(found?.password_hash ?? null, body.password);
  if (!found || !verified) return refuse("invalid_credentials");
  const remembered = body.remember_me ?? true;
  return transaction(async ({ tx, record, actAs }) => {
    actAs(found.id);
    const [row, secret] = await Promise.all([
      tx.maybe<AccountRow>(SIGNING_IN, [found.id, found.workspace_id]),
      store.insertSession(tx, found.id, found.workspace_id, remembered),
    ]);
    if (row?.password_hash !== found.password_hash) return refuse("invalid_credentials");
    record(signedIn({ kind: "account", id: found.id }, { workspace_id: found.workspace_id }));
    cookies.set(secret, cookieMaxAge(remembered));
    return render(row, row.capabilities);
  });
});

export const logout = implement(contract.logout, account(), async ({ tx, principal, cookies, record }) => {
  await store.revokeSession(tx, principal.credentialId);
  record(signedOut({ kind: "account", id: principal.userId }, { session_id: principal.credentialId }));
  cookies.clear();
});

export const getCsrfToken = implement(contract.getCsrfToken, account(), async ({ principal }) => ({
  csrf_token: csrfTokenOf(principal.secret),
}));

export const replaceSessionWorkspace = implement(
  contract.replaceSessionWorkspace,
  account(),
  async ({ tx, principal, cookies, record }, { body }) => {
    const { live, entered, max_age, secret } = await store.rotateSession(tx, principal, body.workspace_id);
    if (!live) throw new Refusal("authentication_required");
    if (!entered) return refuse("workspace_access_denied");
    record(
      sessionWorkspaceChanged(
        { kind: "account", id: principal.userId },
        { session_id: principal.credentialId, workspace_id: body.workspace_id },
      ),
    );
    cookies.set(secret, max_age);
  },
);
