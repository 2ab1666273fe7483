// Passkeys in the browser: the two ceremonies, and what their failures mean to the person in front of it.
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { call, Problem } from "./api.ts";
import { offers } from "./offers.ts";
import type { Account } from "./session.tsx";

interface Ceremony<O> {
  ceremony_token: string;
  options: O;
}

export const passkeysOffered = offers.passkeys && browserSupportsWebAuthn();

/** null: the person thought better of it, which is no fault. */
export async function passkeyLogin(remember_me: boolean, autofill = false): Promise<Account | null> {
  const { ceremony_token, options } = await call<Ceremony<PublicKeyCredentialRequestOptionsJSON>>(
    "POST",
    "/auth/passkeys/login/options",
  );
  const response = await chosen(() => startAuthentication({ optionsJSON: options, useBrowserAutofill: autofill }));
  return response && call<Account>("POST", "/auth/passkeys/login/verify", { ceremony_token, response, remember_me });
}

/** False: the person thought better of it. */
export async function passkeyProof(): Promise<boolean> {
  const { passkey } = await call<{ passkey: Ceremony<PublicKeyCredentialRequestOptionsJSON> | null }>(
    "POST",
    "/auth/reauthenticate/options",
  );
  if (!passkey) throw new Problem("passkey_refused");
  const { ceremony_token, options } = passkey;
  const response = await chosen(() => startAuthentication({ optionsJSON: options }));
  if (!response) return false;
  await call("POST", "/auth/reauthenticate", { ceremony_token, response });
  return true;
}

export async function addPasskey(name: string): Promise<boolean> {
  const { ceremony_token, options } = await call<Ceremony<PublicKeyCredentialCreationOptionsJSON>>(
    "POST",
    "/auth/passkeys/register/options",
  );
  const response = await chosen(() => startRegistration({ optionsJSON: options }));
  if (!response) return false;
  await call("POST", "/auth/passkeys/register/verify", { ceremony_token, name, response });
  return true;
}

export const autofillOffered = () => (passkeysOffered ? browserSupportsWebAuthnAutofill() : Promise.resolve(false));

async function chosen<T>(ceremony: () => Promise<T>): Promise<T | null> {
  try {
    return await ceremony();
  } catch (error) {
    const name = (error as Error).name;
    if (name === "NotAllowedError" || name === "AbortError") return null;
    throw new Problem(name === "InvalidStateError" ? "passkey_present" : "passkey_failed");
  }
}
