// Verifies a passkey's response to a ceremony, to sign in or to reauthenticate. The response is verified outside every
// transaction; valid or not, it consumes the ceremony. A passkey whose counter did not increase was copied, and is
// disabled permanently.
import { randomBytes } from "node:crypto";
import type { PasskeyAssertion } from "@svc/contract/accounts/identity/passkeys.ts";
import type { Static } from "typebox";
import type { EffectsContext, EffectsTransaction } from "../../../platform/kernel/implement-operation.ts";
import type { ExternalSystems } from "../../../platform/outside/external-systems.ts";
import { letter } from "../../../platform/outside/letter.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { passkeyDisabled } from "../events.ts";
import * as store from "./passkey-store.ts";
import { relyingPartyOf, type Use, verifiedAssertion } from "./webauthn.ts";

export const newCeremonyToken = () => randomBytes(32).toString("base64url");
/** The relying party. Without one (an IP address as public URL), passkey operations are not found. */
export const partyOf = ({ origin }: ExternalSystems) => relyingPartyOf(origin()) ?? refuse("not_found");

export interface VerifiedPasskey {
  ceremony: store.Ceremony;
  passkey: store.Asserted & { id: string };
  use: Use;
}
/** Verifies the response; refuses with `invalid_credentials` if it is not valid. */
export async function usedPasskey(
  { outside, read, transaction }: EffectsContext,
  ceremony: store.Ceremony,
  response: Static<typeof PasskeyAssertion>,
): Promise<VerifiedPasskey> {
  const found = await read((tx) => store.assertedOf(tx, ceremony, response.id));
  if (!found) return refuse("invalid_credentials");
  const use = found.id && (await verifiedAssertion(partyOf(outside), found.challenge, found, response));
  if (found.id && use) return { ceremony, passkey: { ...found, id: found.id }, use };
  await transaction(({ tx }) => store.useCeremony(tx, ceremony));
  return refuse("invalid_credentials");
}

/** False if the passkey was disabled by this use, which must be committed: the caller refuses after the commit. */
export async function countUse(
  { tx, record, actAs, post }: EffectsTransaction,
  { ceremony, passkey, use }: VerifiedPasskey,
): Promise<boolean> {
  const { id, user_id } = passkey;
  const [first, advanced] = await Promise.all([store.useCeremony(tx, ceremony), store.advance(tx, id, use)]);
  if (!first) return refuse("invalid_credentials");
  actAs(user_id);
  if (advanced) return true;
  if (!(await store.disable(tx, id))) return refuse("invalid_credentials");
  record(passkeyDisabled({ kind: "passkey", id }, { counter: use.counter }));
  post(disabledNotice(passkey));
  return false;
}

const disabledNotice = ({ email, name }: store.Asserted) =>
  letter({
    to: email,
    subject: "A passkey of your account was disabled",
    paragraphs: [
      `Somebody tried to sign in to your account with a copy of your passkey "${name}". The attempt was refused, ` +
        "and the passkey is disabled for ever.",
      "Sign in another way, remove it and register a new one. If you did not copy it yourself, look through the " +
        "sessions of your account too.",
    ],
  });
