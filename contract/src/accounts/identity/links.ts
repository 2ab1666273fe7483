// Continuation links in mails. A browser opens them and is redirected to a page of the web application.
import Type from "typebox";
import { op, P } from "../../kit.ts";
import { object } from "../../types.ts";

export const getContinuation = op("GET /auth/continuations/{kind}", "Go on from a link in a mail", {
  description:
    "email_verification marks the address as verified and proved and leads to /verified, which is told so by a cookie of a minute; password_reset leads to /reset, email_change to /email-change and invitation to /invitation, with the token in the fragment, which no server and no log sees. A link that was used, has expired or was replaced leads to /error?code=invalid_link.",
  auth: [P],
  redirect: true,
  query: object({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
});
