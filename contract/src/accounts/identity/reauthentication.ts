// Reauthenticates the person of an older session before an action that would outlive it. The session id stays the same:
// no session is created, and none of the account's other sessions is renewed.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { nullable, object, Provider, Timestamp, Typed } from "../../types.ts";
import { ceremony, ceremony_token, PasskeyAssertion, PasskeyRequest } from "./passkeys.ts";
import { code } from "./second-factor.ts";

const unnamed =
  "the specification asks for a recent authentication and names no way to renew it but signing in again, which would make another session";

export const ReauthenticationOptions = object({
  recent_until: nullable({ ...Timestamp, description: "Until when the present proof counts; null where it does not." }),
  methods: Type.Array(Type.Enum(["password", "code", "passkey", "provider"]), {
    description:
      "What this account can prove itself with. With a second factor that is its code, or a passkey: neither a password nor a provider alone.",
  }),
  providers: Type.Array(Provider, { description: "Those of the account's identities that are configured." }),
  passkey: nullable(ceremony(PasskeyRequest)),
});

export const createReauthenticationOptions = op(
  "POST /auth/reauthenticate/options",
  "Read how to prove again who you are",
  {
    description: "Begins a passkey ceremony where the account has a passkey that works: it is for this account only.",
    auth: [S],
    unnamed,
    tag: "Authentication",
    secret: true,
    returns: ReauthenticationOptions,
    quiet: "a ceremony that was begun says nothing about an account",
  },
);

export const reauthenticate = op("POST /auth/reauthenticate", "Prove again who you are", {
  description:
    "With exactly one proof: `password`; or `code`, of the authenticator or a recovery code, which an account with a second factor needs; or `ceremony_token` and `response` of a passkey. For the next 15 minutes the session may do what asks for a recent authentication. It keeps its id, Workspace and age, and both cookies are replaced: whoever else holds the former secret is out. Wrong proofs count as they do at sign-in.",
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
  "Begin to prove with a provider who you are",
  {
    description:
      "For an account without a second factor that has an identity of this provider. Send the browser to authorization_url within ten minutes: the provider is told to ask for its own sign-in again. The way back renews this session, replaces both cookies and leads to /confirmed, or to /confirmed?error=authentication_failed.",
    auth: [S],
    unnamed,
    tag: "Authentication",
    secret: true,
    body: object({ provider: Provider }),
    example: { provider: "google" },
    returns: object({ authorization_url: Type.String({ description: "Of the provider." }) }),
    errors: ["not_found", "second_factor_required", "sign_in_provider_unavailable"],
    quiet: "nothing is proved before the provider has answered",
  },
);
