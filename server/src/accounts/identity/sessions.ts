// Sign-in with a password, sign-out, and browser sessions. Hashing runs outside every transaction; every failed sign-in
// gets the same response after the same work.
import * as contract from "@svc/contract/accounts/identity/sessions.ts";
import { account, implement, implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import { csrfTokenOf } from "../../platform/wire/ids.ts";
import { Refusal, refuse } from "../../platform/wire/problem.ts";
import { sessionWorkspaceChanged, signedOut } from "./events.ts";
import { registerAccount } from "./registration.ts";
import { enterBrowser, passFirstStep } from "./sign-in.ts";
import * as store from "./store.ts";

export const register = implementWithEffects(contract.register, open(), (context, { body }) =>
  registerAccount(context, body, {}, enterBrowser),
);

export const login = implementWithEffects(contract.login, open(), (context, { body }) => {
  const { email, password, remember_me: remembered = true } = body;
  return passFirstStep(context, { email, password, family: "browser", remembered }, enterBrowser);
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
