// Signing in with a passkey, and the passkeys of an account. An answer of the browser is judged outside every transaction; the
// transaction after it uses the ceremony up, whether the answer was good or not.
import { randomBytes } from "node:crypto";
import * as contract from "@svc/contract/identity/passkeys.ts";
import { type AccountRow, SELECT_ACCOUNT } from "../account/view.ts";
import { type Access, account, implement, implementList, implementWithEffects, open } from "../kernel/implement.ts";
import { letter } from "../kernel/letter.ts";
import type { Outside } from "../kernel/outside.ts";
import { refuse, refuseAt } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import { passkeyCreated, passkeyDeleted, passkeyDisabled, passkeyUpdated, signedIn } from "./events.ts";
import * as store from "./passkey-store.ts";
import { enterBrowser } from "./sign-in.ts";
import { hasOtherSignInMethod } from "./store.ts";
import {
  creationOptions,
  newChallenge,
  relyingPartyOf,
  requestOptions,
  verifiedAssertion,
  verifiedAttestation,
} from "./webauthn.ts";

const newToken = () => randomBytes(32).toString("base64url");
/** Where there is none these operations are not served at all. */
const partyOf = ({ origin }: Outside) => relyingPartyOf(origin()) ?? refuse("not_found");

export const createPasskeyLoginOptions = implementWithEffects(
  contract.createPasskeyLoginOptions,
  open(),
  async ({ outside, transaction }) => {
    const [ceremony_token, challenge] = [newToken(), newChallenge()];
    const options = requestOptions(partyOf(outside), challenge);
    await transaction(({ tx }) => store.beginCeremony(tx, ceremony_token, null, challenge));
    return { ceremony_token, options };
  },
);

export const loginWithPasskey = implementWithEffects(
  contract.loginWithPasskey,
  open(),
  async ({ outside, read, transaction }, { body }) => {
    const { ceremony_token, response } = body;
    const found = await read((tx) => store.loginOf(tx, ceremony_token, response.id));
    if (!found) return refuse("invalid_credentials");
    const use = found.id && (await verifiedAssertion(partyOf(outside), found.challenge, found, response));
    if (!found.id || !use) {
      await transaction(({ tx }) => store.useLogin(tx, ceremony_token));
      return refuse("invalid_credentials");
    }
    const { id, user_id, workspace_id } = found;
    const remembered = body.remember_me ?? true;
    const answer = await transaction(async (inside) => {
      const { tx, record, actAs, post } = inside;
      const [first, advanced, account] = await Promise.all([
        store.useLogin(tx, ceremony_token),
        store.advance(tx, id, use),
        tx.maybe<AccountRow>(SELECT_ACCOUNT, [user_id, workspace_id]),
      ]);
      if (!first || !account) return refuse("invalid_credentials");
      actAs(user_id);
      if (!advanced) {
        if (!(await store.disable(tx, id))) return refuse("invalid_credentials");
        record(passkeyDisabled({ kind: "passkey", id }, { counter: use.counter }));
        post(disabledNotice(found));
        return null;
      }
      record(signedIn({ kind: "account", id: user_id }, { workspace_id, passkey_id: id }));
      return enterBrowser(inside, { userId: user_id, account, workspaceId: workspace_id, remembered, context: {} });
    });
    // Refused only now: that it is disabled must be kept.
    return answer ?? refuse("invalid_credentials");
  },
);

const disabledNotice = ({ email, name }: store.LoginRow) =>
  letter({
    to: email,
    subject: "A passkey of your account was disabled",
    paragraphs: [
      `Somebody tried to sign in to your account with a copy of your passkey "${name}". The attempt was refused, and the passkey is disabled for ever.`,
      "Sign in another way, remove it and register a new one. If you did not copy it yourself, look through the sessions of your account too.",
    ],
  });

export const createPasskeyOptions = implementWithEffects(
  contract.createPasskeyOptions,
  account(),
  async ({ principal, outside, finish }) => {
    const { userId } = principal ?? refuse("authentication_required");
    const [ceremony_token, challenge] = [newToken(), newChallenge()];
    return finish(async ({ tx }) => {
      const [user] = await Promise.all([
        store.registering(tx, userId),
        store.beginCeremony(tx, ceremony_token, userId, challenge),
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
    // Refused in here as well, so that a twin with the same key finds the answer of the one that came first.
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
}
const LOAD = `
select p.id, p.revision::text, p.disabled_at is not null as disabled from passkeys p
where p.id = $1 and p.user_id = current_account() for no key update`;
/** One of the caller's own. */
const passkey = (): Access<PasskeyTarget> => ({
  reach: "account",
  load: (tx, params) => tx.maybe<PasskeyTarget>(LOAD, [params.passkey_id]),
  permits: () => true,
});

export const updatePasskey = implement(
  contract.updatePasskey,
  passkey(),
  async ({ tx, record }, { target: { id }, body }) => {
    const row = await store.renamePasskey(tx, id, body.name as string);
    record(passkeyUpdated({ kind: "passkey", id }));
    return render(row, row.capabilities);
  },
);

export const deletePasskey = implement(
  contract.deletePasskey,
  passkey(),
  async ({ tx, principal, record, defer }, { target: { id, disabled } }) => {
    if (!(await hasOtherSignInMethod(tx, principal.userId, id)) && !disabled) return refuse("last_sign_in_method");
    defer(store.deletePasskey(tx, id));
    record(passkeyDeleted({ kind: "passkey", id }));
  },
);
