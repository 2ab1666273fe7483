// Changes the account's address: requested with the password, applied once the new address is verified.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Email, object, Typed } from "../../types.ts";
import { Account } from "../account/account.ts";

export const requestEmailChange = op("POST /me/email-change", "Request a change of your email address", {
  description:
    "Sends the new address a link, which is valid for four hours and replaces the previous one, " +
    "and sends the current address a notice. The address changes only when the link is used. " +
    "The answer is the same if the new address belongs to another account. An account with a password must " +
    "also send current_password.",
  auth: [S],
  recentAuth: true,
  status: 202,
  limit: "mail",
  body: object({ email: Email, current_password: Type.Optional(Typed) }),
  example: { email: "ada@lovelace.example", current_password: "correct horse battery staple" },
  errors: ["invalid_credentials"],
});

export const verifyEmailChange = op(
  "POST /me/email-change/verify",
  "Change to the email address that the link has proved",
  {
    description:
      "Marks the new address as verified. Links sent to the previous address become invalid, and that address " +
      "receives a notice.",
    auth: [S],
    recentAuth: true,
    body: object({
      token: Type.String({ minLength: 1, maxLength: 200, description: "Token from the link in the mail." }),
    }),
    example: { token: "svc_lnk_4pW0ZQm8yTjH2cVx6RkLb1sNf9uEoA3d2mKq1X" },
    returns: Account,
    errors: ["invalid_link", "email_taken"],
  },
);
