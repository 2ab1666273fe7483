// The second factor of an account: codes of an authenticator (TOTP), ten recovery codes, and the challenge at sign-in.
import Type from "typebox";
import { op, P, S } from "../../kit.ts";
import { object, Timestamp, Typed } from "../../types.ts";
import { Account } from "../account/account.ts";

export const code = Type.String({
  minLength: 6,
  maxLength: 64,
  format: "line",
  description:
    "Six digits of the authenticator, or an unused recovery code. Case, spaces and hyphens are ignored. " +
    "Each code is accepted once.",
});
const current_password = Type.Optional({
  ...Typed,
  description: "Required if the account has a password.",
});

const EXAMPLE_TOKEN = "svc_mfa_4pW0ZQm8yTjH2cVx6RkLb1sNf9uEoA3d3sVb0K";
export const SignInChallenge = object(
  {
    mfa_required: Type.Literal(true),
    mfa_token: Type.String({ examples: [EXAMPLE_TOKEN] }),
    expires_at: Timestamp,
  },
  {
    description:
      "The password was correct and the account has a second factor: complete the sign-in with POST /auth/mfa/verify.",
  },
);

const RecoveryCodes = object({
  recovery_codes: Type.Array(Type.String(), {
    minItems: 10,
    maxItems: 10,
    description: "Recovery codes: each replaces one code of the authenticator. Shown only here.",
    examples: [
      [
        "7K2M-Q9TX-4B8D-HW3N",
        "P6RC-0VJ5-ZE1G-YS8A",
        "M3XF-8T2K-B7QD-5NWH",
        "E9GV-J4CR-1Z6P-SA0Y",
        "D5HB-W7NQ-K3TM-2X8F",
        "V0ZS-A6YE-R9JG-4CP1",
        "T8QK-3MXB-F2WD-7HN5",
        "C1RJ-Z5VP-6SGE-Y9A0",
        "B4ND-X8FT-H7KQ-M2W3",
        "G6YA-S0ZC-9EPV-J1R5",
      ],
    ],
  }),
});

export const setUpTotp = op("POST /auth/mfa/totp/setup", "Begin to set up an authenticator", {
  description:
    "Returns the secret, which is shown only here. Sign-in does not change until a code confirms the " +
    "authenticator; setting it up again before then replaces the secret.",
  auth: [S],
  status: 201,
  creates: null,
  recentAuth: true,
  secret: true,
  returns: object({
    provisioning_uri: Type.String({
      description: "URI for the authenticator to scan.",
      examples: [
        "otpauth://totp/svc:ada%40example.com?issuer=svc&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30",
      ],
    }),
    secret: Type.String({
      description: "The same secret in base32, for manual entry.",
      examples: ["JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"],
    }),
  }),
  errors: ["mfa_already_enabled"],
});

export const confirmTotp = op("POST /auth/mfa/totp/confirm", "Turn the second factor on", {
  description:
    "Takes a code of the authenticator that was set up. Returns ten recovery codes, which are shown only here.",
  auth: [S],
  recentAuth: true,
  status: 201,
  creates: null,
  limit: "sign_in",
  secret: true,
  body: object({ code }),
  example: { code: "492039" },
  returns: RecoveryCodes,
  errors: ["invalid_code", "mfa_already_enabled", "mfa_not_enabled"],
});

export const regenerateRecoveryCodes = op("POST /auth/mfa/recovery-codes/regenerate", "Replace the recovery codes", {
  description: "Earlier recovery codes become invalid, used or not.",
  auth: [S],
  recentAuth: true,
  status: 201,
  creates: null,
  limit: "sign_in",
  secret: true,
  body: object({ current_password }),
  example: { current_password: "correct horse battery staple" },
  returns: RecoveryCodes,
  errors: ["invalid_credentials", "mfa_not_enabled"],
});

export const deleteTotp = op("DELETE /auth/mfa/totp", "Turn the second factor off", {
  description:
    "Removes the authenticator and the recovery codes. Wrong codes count as they do at sign-in (see POST " +
    "/auth/mfa/verify).",
  auth: [S],
  recentAuth: true,
  limit: "sign_in",
  body: object({ current_password, code }),
  example: { current_password: "correct horse battery staple", code: "492039" },
  errors: ["invalid_credentials", "invalid_code", "mfa_not_enabled"],
});

export const verifySecondFactor = op("POST /auth/mfa/verify", "Complete a sign-in with the second factor", {
  description:
    "The challenge from POST /auth/login expires after five minutes, after five wrong codes, " +
    "and when the password changes. Wrong codes also count against the account: after every 20 in a row, " +
    "codes of the authenticator are refused with 429 for an hour, then two, four and so on up to a day, " +
    "while recovery codes still work. Sets both session cookies.",
  auth: [P],
  limit: "sign_in",
  session: "sets",
  body: object({
    mfa_token: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Challenge from the answer of POST /auth/login.",
    }),
    code,
    remember_me: Type.Optional(Type.Boolean({ description: "Ignored: the value sent at sign-in applies." })),
  }),
  example: { mfa_token: EXAMPLE_TOKEN, code: "492039" },
  returns: Account,
  errors: ["invalid_code", "invalid_challenge"],
});
