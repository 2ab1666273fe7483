// Changes the account's address: requested with the password, applied once the new address is verified.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Email, object, Typed } from "../../types.ts";
import { Account } from "../account/account.ts";

export const requestEmailChange = op("POST /me/email-change", "Ask for another address", {
  description:
    "The new address gets a link that is valid for four hours and replaces the one before; the present one gets a notice. Nothing changes until the link is used. The answer is the same when the new address belongs to another account. An account with a password sends current_password too.",
  auth: [S],
  recentAuth: true,
  status: 202,
  limit: "mail",
  body: object({ email: Email, current_password: Type.Optional(Typed) }),
  example: { email: "ada@lovelace.example", current_password: "correct horse battery staple" },
  errors: ["invalid_credentials"],
});

export const verifyEmailChange = op("POST /me/email-change/verify", "Change to the address that the link has proved", {
  description: "The address counts as verified. Links that were sent to the former one end, and it gets a notice.",
  auth: [S],
  recentAuth: true,
  body: object({ token: Type.String({ minLength: 1, maxLength: 200, description: "From the link in the mail." }) }),
  example: { token: "svc_lnk_4pW0ZQm8yTjH2cVx6RkLb1sNf9uEoA3d2mKq1X" },
  returns: Account,
  errors: ["invalid_link", "email_taken"],
});
