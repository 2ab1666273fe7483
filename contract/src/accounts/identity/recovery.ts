// Account recovery: verifying an address, resetting a forgotten password, changing the password. Operations that need
// no sign-in answer alike for every address, so that they do not reveal who has an account.
import Type from "typebox";
import { op, P, S } from "../../kit.ts";
import { Email, object, Typed } from "../../types.ts";
import { Password } from "./sessions.ts";

const LinkToken = Type.String({ minLength: 1, maxLength: 200, description: "Token from the link in the mail." });
const SAME =
  "Status, body and work are the same for every address, so that the answer does not reveal whether an account exists.";

export const resendEmailVerification = op(
  "POST /auth/email/resend-verification",
  "Resend the verification link of an address",
  {
    description:
      "Sends the link to an address that is not proved yet. It is valid for three days and replaces " +
      "the previous " +
      `one; at most one is sent each minute. ${SAME}`,
    auth: [P],
    status: 202,
    limit: "mail",
    body: object({ email: Email }),
    example: { email: "ada@example.com" },
    quiet: "An event would reveal whether the address has an account.",
  },
);

export const requestPasswordReset = op("POST /auth/password/forgot", "Send a link to reset the password", {
  description:
    "Sends a link that is valid for four hours and replaces the previous one; " +
    "at most one is sent each minute. " +
    `An address that is not verified yet receives its verification link instead. ${SAME}`,
  auth: [P],
  status: 202,
  limit: "mail",
  body: object({ email: Email }),
  example: { email: "ada@example.com" },
  quiet: "An event would reveal whether the address has an account.",
});

export const resetPassword = op("POST /auth/password/reset", "Set a new password with the link from the mail", {
  description:
    "Ends every session of the account, its grants to native, developer and MCP clients, and every API token. " +
    "Does not sign in. If nobody had proved the address before, it also removes passkeys, identities and the " +
    "second factor. Sends the address a notice.",
  auth: [P],
  limit: "sign_in",
  body: object({ token: LinkToken, new_password: Password }),
  example: {
    token: "svc_lnk_4pW0ZQm8yTjH2cVx6RkLb1sNf9uEoA3d2mKq1X",
    new_password: "correct horse battery staple",
  },
  errors: ["invalid_link", "password_breached"],
});

export const changePassword = op("POST /auth/password/change", "Replace your password", {
  description:
    "Replaces the secret of this session and both cookies, so the previous secret becomes invalid. " +
    "Ends every other session and the account's grants to native, developer and MCP clients; " +
    "revokes API tokens only if revoke_api_tokens is true. Sends the address a notice. " +
    "A wrong current_password is refused with 401; too many of them are refused with 429 for the account.",
  auth: [S],
  session: "rotates",
  body: object({
    current_password: Typed,
    new_password: Password,
    revoke_api_tokens: Type.Optional(
      Type.Boolean({ description: "true: also revokes your API tokens. Omitted or false: they stay valid." }),
    ),
  }),
  example: {
    current_password: "correct horse battery staple",
    new_password: "another horse battery staple",
  },
  errors: ["invalid_credentials", "password_not_set", "password_breached"],
});
