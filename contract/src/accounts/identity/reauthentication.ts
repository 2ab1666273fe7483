// Reauthenticates the person of an older session before an action that would outlive it. The session id stays the same:
// no session is created, and none of the account's other sessions is renewed.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { nullable, object, Provider, Timestamp, Typed } from "../../types.ts";
import { ceremony, ceremony_token, PasskeyAssertion, PasskeyRequest } from "./passkeys.ts";
import { code } from "./second-factor.ts";

const unnamed =
  "the specification asks for a recent authentication and names no way to renew it but signing in again, " +
  "which would make another session";

export const ReauthenticationOptions = object({
  recent_until: nullable({
    ...Timestamp,
    description: "Time until which the last authentication counts as recent; null if it no longer does.",
  }),
  methods: Type.Array(Type.Enum(["password", "code", "passkey", "provider"]), {
    description:
      "Proofs that this account can use. With a second factor: its code or a passkey, but neither a password nor " +
      "a provider alone.",
  }),
  providers: Type.Array(Provider, { description: "Configured providers of the account's identities." }),
  passkey: nullable(ceremony(PasskeyRequest)),
});

export const createReauthenticationOptions = op(
  "POST /auth/reauthenticate/options",
  "Read how you can reauthenticate",
  {
    description: "Starts a passkey ceremony for this account if it has a working passkey.",
    auth: [S],
    unnamed,
    tag: "Authentication",
    secret: true,
    returns: ReauthenticationOptions,
    quiet: "Starting a ceremony changes nothing about an account.",
  },
);

export const reauthenticate = op("POST /auth/reauthenticate", "Reauthenticate", {
  description:
    "Takes exactly one proof: `password`, `code` (from the authenticator, or a recovery code) or a passkey's " +
    "`ceremony_token` and `response`. An account with a second factor needs the code or a passkey. " +
    "For the next 15 minutes the session may call operations that need a recent authentication. " +
    "The session keeps its id, Workspace and age. Both cookies are replaced, so the previous session secret " +
    "becomes invalid. Wrong proofs count as they do at sign-in.",
  auth: [S],
  unnamed,
  tag: "Authentication",
  limit: "sign_in",
  session: "rotates",
  body: object({
    password: Type.Optional(Typed),
    code: Type.Optional(code),
    ceremony_token: Type.Optional(ceremony_token),
    response: Type.Optional(PasskeyAssertion),
  }),
  example: { password: "correct horse battery staple" },
  returns: object({ recent_until: Timestamp }),
  errors: ["invalid_credentials", "invalid_code", "second_factor_required", "password_not_set", "mfa_not_enabled"],
});

export const reauthenticateWithProvider = op(
  "POST /auth/reauthenticate/provider",
  "Begin to reauthenticate with a provider",
  {
    description:
      "For an account without a second factor that has an identity of this provider. " +
      "Send the browser to authorization_url within ten minutes; the provider is asked to authenticate the " +
      "person again. The return renews this session, replaces both cookies and redirects to /confirmed, " +
      "or to /confirmed?error=authentication_failed.",
    auth: [S],
    unnamed,
    tag: "Authentication",
    secret: true,
    body: object({ provider: Provider }),
    example: { provider: "google" },
    returns: object({ authorization_url: Type.String({ description: "URL of the provider." }) }),
    errors: ["not_found", "second_factor_required", "sign_in_provider_unavailable"],
    quiet: "Nothing is proved before the provider has answered.",
  },
);
