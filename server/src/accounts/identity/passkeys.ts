// Sign-in with a passkey, and the passkeys of an account. A browser's response is verified outside every transaction;
// the transaction after it consumes the ceremony, whether the response was valid or not.
import * as contract from "@svc/contract/accounts/identity/passkeys.ts";
import { differing } from "../../platform/database/sql.ts";
import {
  type Access,
  account,
  implement,
  implementList,
  implementWithEffects,
  open,
} from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { type AccountRow, SELECT_ACCOUNT } from "../account/view.ts";
import { passkeyCreated, passkeyDeleted, passkeyUpdated, signedIn } from "./events.ts";
import { enterBrowser } from "./sign-in.ts";
import { hasOtherSignInMethod } from "./store.ts";
import * as store from "./webauthn/passkey-store.ts";
import { countUse, newCeremonyToken, partyOf, usedPasskey } from "./webauthn/passkey-use.ts";
import { creationOptions, newChallenge, requestOptions, verifiedAttestation } from "./webauthn/webauthn.ts";

export const createPasskeyLoginOptions = implementWithEffects(
  contract.createPasskeyLoginOptions,
  open(),
  async ({ outside, transaction }) => {
    const [ceremony_token, challenge] = [newCeremonyToken(), newChallenge()];
    const options = requestOptions(partyOf(outside), challenge);
    await transaction(({ tx }) => store.beginCeremony(tx, "login", ceremony_token, null, challenge));
    return { ceremony_token, options };
  },
);

export const loginWithPasskey = implementWithEffects(contract.loginWithPasskey, open(), async (context, { body }) => {
  const used = await usedPasskey(context, { token: body.ceremony_token, userId: null }, body.response);
  const { id, user_id: userId, workspace_id: workspaceId } = used.passkey;
  const remembered = body.remember_me ?? true;
  const answer = await context.transaction(async (inside) => {
    const [counted, account] = await Promise.all([
      countUse(inside, used),
      inside.tx.maybe<AccountRow>(SELECT_ACCOUNT, [userId, workspaceId]),
    ]);
    if (!account) return refuse("invalid_credentials");
    if (!counted) return null;
    inside.record(signedIn({ kind: "account", id: userId }, { workspace_id: workspaceId, passkey_id: id }));
    return enterBrowser(inside, { userId, account, workspaceId, remembered, context: {} });
  });
  // Refuses only after the commit, because disabling the passkey must persist.
  return answer ?? refuse("invalid_credentials");
});

export const createPasskeyOptions = implementWithEffects(
  contract.createPasskeyOptions,
  account(),
  async ({ principal, outside, finish }) => {
    const { userId } = principal ?? refuse("authentication_required");
    const [ceremony_token, challenge] = [newCeremonyToken(), newChallenge()];
    return finish(async ({ tx }) => {
      const [user] = await Promise.all([
        store.registering(tx, userId),
        store.beginCeremony(tx, "register", ceremony_token, userId, challenge),
      ]);
      if (store.isFull(user)) return refuse("limit_reached");
      return { ceremony_token, options: creationOptions(partyOf(outside), challenge, user) };
    });
  },
);

export const createPasskey = implementWithEffects(
  contract.createPasskey,
  account(),
  async ({ principal, outside, read, transaction, finish }, { body }) => {
    const { userId } = principal ?? refuse("authentication_required");
    const { ceremony_token, name, response } = body;
    const challenge = await read((tx) => store.challengeOf(tx, ceremony_token, userId));
    const made = challenge === undefined ? null : await verifiedAttestation(partyOf(outside), challenge, response);
    if (challenge !== undefined && !made)
      await transaction(({ tx }) => store.useRegistration(tx, ceremony_token, userId));
    // Also refuses inside `finish`, so that a concurrent request with the same idempotency key replays the first
    // response.
    return finish(async ({ tx, record }) => {
      if (challenge === undefined) return refuseField("ceremony_token", "is not of a ceremony that is open");
      if (!made) return refuseField("response", "is not a good answer to this ceremony");
      const { id, free, row } = await store.insertPasskey(tx, ceremony_token, userId, name, made);
      if (!free) return refuse("limit_reached");
      if (!row) return refuseField("ceremony_token", "is not of a ceremony that is open");
      record(passkeyCreated({ kind: "passkey", id }));
      return render(row, row.capabilities);
    });
  },
);

const refuseField = (field: string, detail: string): never =>
  refuseAt(`/body/${field}`, "invalid_request", detail, "not_accepted");

export const listPasskeys = implementList(contract.listPasskeys, account(), (tx, { page }) =>
  store.passkeysAfter(tx, page.after?.[0], page.limit + 1),
);

interface PasskeyTarget {
  id: string;
  revision: string;
  disabled: boolean;
  name: string;
}
const LOAD = `
select p.id, p.revision::text, p.disabled_at is not null as disabled, p.name from passkeys p
where p.id = $1 and p.user_id = current_account() for no key update`;
/** One of the caller's own passkeys. */
const passkey = (): Access<PasskeyTarget> => ({
  reach: "account",
  load: (tx, params) => tx.maybe<PasskeyTarget>(LOAD, [params.passkey_id]),
  permits: () => true,
});

export const updatePasskey = implement(contract.updatePasskey, passkey(), async ({ tx, record }, { target, body }) => {
  const { id } = target;
  const changed = differing(body, target);
  const row = changed ? await store.renamePasskey(tx, id, body.name as string) : await store.readPasskey(tx, id);
  if (changed) record(passkeyUpdated({ kind: "passkey", id }));
  return render(row, row.capabilities);
});

export const deletePasskey = implement(
  contract.deletePasskey,
  passkey(),
  async ({ tx, principal, record, defer }, { target: { id, disabled } }) => {
    if (!(await hasOtherSignInMethod(tx, principal.userId, id)) && !disabled) return refuse("last_sign_in_method");
    defer(store.deletePasskey(tx, id));
    record(passkeyDeleted({ kind: "passkey", id }));
  },
);
