// Account recovery: verifying an address, resetting a forgotten password, changing the password. Operations that need
// no sign-in answer alike for every address, so that they do not reveal who has an account.
import Type from "typebox";
import { op, P, S } from "../../kit.ts";
import { Email, object, Typed } from "../../types.ts";
import { Password } from "./sessions.ts";

const LinkToken = Type.String({ minLength: 1, maxLength: 200, description: "From the link in the mail." });
const SAME = "The same status, body and work for every address: nobody learns whether it has an account.";

export const resendEmailVerification = op(
  "POST /auth/email/resend-verification",
  "Send the verification link of an address again",
  {
    description: `The link is valid for three days and replaces the one before; at most one a minute is sent. Sent to an address that is not proved yet. ${SAME}`,
    auth: [P],
    status: 202,
    limit: "mail",
    body: object({ email: Email }),
    example: { email: "ada@example.com" },
    quiet: "An event would tell whether the address has an account.",
  },
);

export const requestPasswordReset = op("POST /auth/password/forgot", "Send a link that sets a new password", {
  description: `The link is valid for four hours and replaces the one before; at most one a minute is sent. An address that is not verified yet gets its verification link instead. ${SAME}`,
  auth: [P],
  status: 202,
  limit: "mail",
  body: object({ email: Email }),
  example: { email: "ada@example.com" },
  quiet: "An event would tell whether the address has an account.",
});

export const resetPassword = op("POST /auth/password/reset", "Set a new password with the link from the mail", {
  description:
    "Ends every session of the account, and what it has granted to native, developer and MCP clients, and every API token. Signs nobody in. Where nobody had proved the address before, passkeys, identities and the second factor go, too. The address gets a notice.",
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
    "This session stays, under a new secret: both cookies are replaced, and a stolen one is dead. Every other session ends, and so does what the account has granted to native, developer and MCP clients; API tokens stay unless revoke_api_tokens is true. The address gets a notice. A wrong current_password is 401, and too many of them are 429 for the account.",
  auth: [S],
  session: "rotates",
  body: object({
    current_password: Typed,
    new_password: Password,
    revoke_api_tokens: Type.Optional(Type.Boolean({ description: "Left out or false: API tokens go on working." })),
  }),
  example: {
    current_password: "correct horse battery staple",
    new_password: "another horse battery staple",
  },
  errors: ["invalid_credentials", "password_not_set", "password_breached"],
});
