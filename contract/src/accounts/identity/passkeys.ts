// Passkeys: sign-in, and the credentials of an account. `options` and `response` are the browser's own formats (Web
// Authentication, JSON form) and are passed through unchanged; unknown fields of a response are ignored, because the
// format grows.
import Type, { type TSchema } from "typebox";
import { list, op, P, S } from "../../kit.ts";
import { Line, Name, nullable, object, patch, resource, single, Timestamp } from "../../types.ts";
import { Account } from "../account/account.ts";

const Bytes = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$" });
const CredentialId = Type.String({
  minLength: 1,
  maxLength: 1364,
  pattern: "^[A-Za-z0-9_-]+$",
  description: "At most 1,023 bytes, in base64url like all bytes here.",
});
const Transports = Type.Array(Type.String({ maxLength: 32, pattern: "^[a-z0-9-]+$" }), { maxItems: 16 });
const PublicKey = Type.Enum(["public-key"]);

const PasskeyRow = object({
  ...resource,
  name: Name(100),
  backup_eligible: Type.Boolean({ description: "Whether the passkey can be synced to other devices of its owner." }),
  backup_state: Type.Boolean({ description: "Whether the passkey was synced when it was last used." }),
  disabled: Type.Boolean({
    description:
      "Whether the passkey is disabled for ever because its counter went back, which indicates a copy. " +
      "Remove it and register a new one.",
  }),
  last_used_at: nullable(Timestamp),
});
export const Passkey = single(PasskeyRow);

export const ceremony_token = Line(200);
/** The WebAuthn options for the browser, and the token that must accompany its response. */
export const ceremony = <Options extends TSchema>(options: Options) =>
  object({
    ceremony_token: Type.String({ description: "Token of the ceremony: valid for one answer, within five minutes." }),
    options,
  });
/** Browsers add fields as WebAuthn grows; unknown ones are ignored. */
const growing = { additionalProperties: true } as const;
/** A credential in the browser's JSON form. */
const credential = <R extends Record<string, TSchema>>(response: R) =>
  Type.Object(
    {
      id: CredentialId,
      rawId: CredentialId,
      type: PublicKey,
      response: Type.Object(response, growing),
      clientExtensionResults: Type.Optional(Type.Object({}, growing)),
      authenticatorAttachment: Type.Optional(nullable(Line(32))),
    },
    growing,
  );

export const PasskeyRequest = object({
  challenge: Bytes(43),
  rpId: Type.String(),
  timeout: Type.Integer(),
  userVerification: Type.Enum(["required"]),
  allowCredentials: Type.Array(object({ type: PublicKey, id: CredentialId, transports: Transports })),
});
export const PasskeyAssertion = credential({
  clientDataJSON: Bytes(8192),
  authenticatorData: Bytes(8192),
  signature: Bytes(2048),
  userHandle: Type.Optional(nullable(Bytes(88))),
});
export const PasskeyCreation = object({
  challenge: Bytes(43),
  rp: object({ id: Type.String(), name: Type.String() }),
  user: object({ id: Bytes(88), name: Type.String(), displayName: Type.String() }),
  pubKeyCredParams: Type.Array(object({ type: PublicKey, alg: Type.Integer() })),
  timeout: Type.Integer(),
  attestation: Type.Enum(["none"]),
  authenticatorSelection: object({
    residentKey: Type.Enum(["required"]),
    requireResidentKey: Type.Boolean(),
    userVerification: Type.Enum(["required"]),
  }),
  excludeCredentials: Type.Array(object({ type: PublicKey, id: CredentialId, transports: Transports })),
});
export const PasskeyAttestation = credential({
  clientDataJSON: Bytes(8192),
  attestationObject: Bytes(32768),
  transports: Type.Optional(Transports),
});

export const createPasskeyLoginOptions = op("POST /auth/passkeys/login/options", "Begin to sign in with a passkey", {
  description:
    "Returns options for the browser's passkey prompt. They name no account: the browser offers the passkeys that " +
    "it has for this service.",
  auth: [P],
  returns: ceremony(PasskeyRequest),
  errors: ["not_found"],
  quiet: "Starting a ceremony changes nothing about an account.",
});

export const loginWithPasskey = op("POST /auth/passkeys/login/verify", "Sign in with a passkey", {
  description:
    "Signs in without a second factor, because the passkey has verified its owner. " +
    "Every failure is the same 401 and invalidates the ceremony. A passkey whose counter goes back is disabled " +
    "for ever. Sets both session cookies.",
  auth: [P],
  limit: "sign_in",
  session: "sets",
  body: object({
    ceremony_token,
    response: PasskeyAssertion,
    remember_me: Type.Optional(
      Type.Boolean({
        description: "Omitted or true: cookies for 30 days. false: cookies without expiry, for at most 48 hours.",
      }),
    ),
  }),
  returns: Account,
  errors: ["invalid_credentials", "not_found"],
});

export const createPasskeyOptions = op("POST /auth/passkeys/register/options", "Begin to register a passkey", {
  auth: [S],
  recentAuth: true,
  secret: true,
  returns: ceremony(PasskeyCreation),
  errors: ["limit_reached", "not_found"],
  quiet: "Starting a ceremony changes nothing about an account.",
});

export const createPasskey = op("POST /auth/passkeys/register/verify", "Register a passkey", {
  description:
    "An account has at most ten passkeys. An invalid answer is refused with 400 and invalidates the ceremony. " +
    "Attestation certificates are neither requested nor accepted.",
  auth: [S],
  recentAuth: true,
  status: 201,
  creates: "/auth/passkeys/{id}",
  body: object({ ceremony_token, name: Name(100), response: PasskeyAttestation }),
  returns: Passkey,
  errors: ["limit_reached", "identity_taken", "not_found"],
});

export const listPasskeys = list("GET /auth/passkeys", "List your passkeys", {
  auth: [S],
  items: PasskeyRow,
  errors: ["not_found"],
});

export const updatePasskey = op("PATCH /auth/passkeys/{passkey_id}", "Rename a passkey", {
  auth: [S],
  body: patch({ name: Name(100) }),
  example: { name: "Phone" },
  returns: Passkey,
});

export const deletePasskey = op("DELETE /auth/passkeys/{passkey_id}", "Remove a passkey", {
  description:
    "Refused if the passkey is the last way to sign in. A disabled passkey does not count as one and can always " +
    "be removed.",
  auth: [S],
  errors: ["last_sign_in_method"],
});
