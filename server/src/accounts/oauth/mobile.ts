// Native applications: a completed sign-in issues the tokens of a new grant, here or through the system browser. No
// cookie is read or set; each request names its Workspace. engine.ts does the rest.
import * as contract from "@svc/contract/accounts/oauth/mobile.ts";
import {
  account,
  implement,
  implementWithEffects,
  open,
  type Rendered,
} from "../../platform/kernel/implement-operation.ts";
import { extended } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { type AccountRow, SELECT_ACCOUNT } from "../account/view.ts";
import { registerAccount } from "../identity/registration.ts";
import { type Enter, passFirstStep, passSecondStep } from "../identity/sign-in.ts";
import { authorize, exchange, revoke, tokensOf } from "./engine.ts";
import { oauthGranted } from "./events.ts";
import { type Client, families } from "./rules.ts";
import * as store from "./store.ts";

const [application] = families.native.clients as [Client];

/** Completes a native sign-in: creates a grant and its first tokens, and returns them with the account. */
const enterNative =
  (origin: string): Enter<Rendered> =>
  async ({ tx, record }, { userId, context }) => {
    const { id: clientId, name: clientName, scopes } = application;
    const deviceName = typeof context.device_name === "string" ? context.device_name : null;
    const resource = origin + families.native.audience;
    const grant = { id: newId(), family: "native", workspaceId: null, refreshes: true } as const;
    const [, issued, row] = await Promise.all([
      store.insertGrant(tx, { ...grant, clientId, clientName, userId, scopes, resource, deviceName }),
      store.issueTokens(tx, "native", grant.id),
      tx.one<AccountRow>(SELECT_ACCOUNT, [userId, null]),
    ]);
    if (!issued) throw new Error("a new grant was given no tokens");
    record(oauthGranted({ kind: "oauth_grant", id: grant.id }, { client_id: clientId, scopes }));
    const tokens = JSON.stringify(tokensOf("native", issued));
    return {
      json:
        `${tokens.slice(0, -1)}, "account": ` +
        `${extended(row, { workspace_capabilities: null, capabilities: row.capabilities }).json}}`,
    };
  };

export const signInMobile = implementWithEffects(contract.signInMobile, open(), (context, { body }) => {
  const { email, password, device_name } = body;
  const step = { email, password, family: "native", remembered: true, context: { device_name } } as const;
  return passFirstStep(context, step, enterNative(context.outside.origin()));
});

export const verifyMobileSecondFactor = implementWithEffects(
  contract.verifyMobileSecondFactor,
  open(),
  (context, { body: { mfa_token: token, code } }) =>
    passSecondStep(context, { token, code, family: "native" }, enterNative(context.outside.origin())),
);

export const registerMobile = implementWithEffects(contract.registerMobile, open(), (context, { body }) =>
  registerAccount(context, body, { device_name: body.device_name }, enterNative(context.outside.origin())),
);

export const authorizeMobileClient = implementWithEffects(
  contract.authorizeMobileClient,
  open(),
  (context, { query }) => authorize(context, "native", contract.authorizeMobileClient, query),
);

export const createMobileToken = implementWithEffects(contract.createMobileToken, open(), (context, { body }) =>
  exchange(context, "native", body),
);

export const revokeMobileToken = implement(contract.revokeMobileToken, account(), async (context) => {
  const { tx, principal } = context;
  await revoke(context, await store.grantOfCredential(tx, principal.credentialId));
});
