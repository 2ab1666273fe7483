// Accounts at external identity providers that are linked to this account for sign-in.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, Provider, Timestamp } from "../../types.ts";
import { ReturnTo } from "./providers.ts";

export const Identity = object({
  id: Id,
  provider: Provider,
  email: nullable(
    Type.String({ description: "Address at the provider when the identity was last used; never compared." }),
  ),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
});

export const listIdentities = list("GET /me/identities", "List the identities that you can sign in with", {
  auth: [S],
  items: Identity,
});

export const linkIdentity = op("POST /me/identities", "Begin to link an identity to your account", {
  description:
    "Send the browser to authorization_url within ten minutes. The identity is linked when the browser returns " +
    "signed in as you; a cookie of this answer binds the return to this browser. " +
    "An account has at most one identity of each provider. Answers 404 if the provider is not configured.",
  auth: [S],
  recentAuth: true,
  secret: true,
  body: object({ provider: Provider, return_to: ReturnTo }),
  example: { provider: "google", return_to: "/security" },
  returns: object({ authorization_url: Type.String({ description: "URL of the provider." }) }),
  errors: ["not_found", "identity_taken", "sign_in_provider_unavailable"],
  quiet: "Nothing is linked before the provider has answered.",
});

export const deleteIdentity = op("DELETE /me/identities/{identity_id}", "Remove an identity", {
  description:
    "Refused if the account would have no way left to sign in: no password, no working passkey and no other identity.",
  auth: [S],
  errors: ["last_sign_in_method"],
});
