// Passkey ceremonies in the browser (sign-in, proof, registration), and their errors.

import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { Problem } from "@svc/client";
import type { Account } from "../session.tsx";
import { svc } from "../svc.ts";
import { offers } from "./offers.ts";

export const passkeysOffered = offers.passkeys && browserSupportsWebAuthn();

/** Returns null if the person cancelled, which is not an error. */
export async function passkeyLogin(remember_me: boolean, autofill = false): Promise<Account | null> {
  const { ceremony_token, options } = await svc.createPasskeyLoginOptions();
  const response = await chosen(() => startAuthentication({ optionsJSON: options, useBrowserAutofill: autofill }));
  return response && svc.loginWithPasskey({ ceremony_token, response, remember_me });
}

/** Returns false if the person cancelled. */
export async function passkeyProof(): Promise<boolean> {
  const { passkey } = await svc.createReauthenticationOptions();
  if (!passkey) throw new Problem({ code: "passkey_refused" });
  const { ceremony_token, options } = passkey;
  const response = await chosen(() => startAuthentication({ optionsJSON: options }));
  if (!response) return false;
  await svc.reauthenticate({ ceremony_token, response });
  return true;
}

export async function addPasskey(name: string): Promise<boolean> {
  const { ceremony_token, options } = await svc.createPasskeyOptions();
  const response = await chosen(() => startRegistration({ optionsJSON: options }));
  if (!response) return false;
  await svc.createPasskey({ ceremony_token, name, response });
  return true;
}

export const autofillOffered = () => (passkeysOffered ? browserSupportsWebAuthnAutofill() : Promise.resolve(false));

async function chosen<T>(ceremony: () => Promise<T>): Promise<T | null> {
  try {
    return await ceremony();
  } catch (error) {
    const name = (error as Error).name;
    if (name === "NotAllowedError" || name === "AbortError") return null;
    throw new Problem({ code: name === "InvalidStateError" ? "passkey_present" : "passkey_failed" });
  }
}
