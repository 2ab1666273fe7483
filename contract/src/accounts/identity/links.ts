// Continuation links in mails. A browser opens them and is redirected to a page of the web application.
import Type from "typebox";
import { op, P } from "../../kit.ts";
import { object } from "../../types.ts";

export const getContinuation = op("GET /auth/continuations/{kind}", "Follow a link from a mail", {
  description:
    "Redirects according to the kind of the link. email_verification marks the address as verified and proved, " +
    "sets a cookie that is valid for one minute so that the page can confirm it, and redirects to /verified. " +
    "password_reset redirects to /reset, email_change to /email-change and invitation to /invitation, " +
    "each with the token in the fragment, which is neither sent to a server nor logged. " +
    "A link that was used, has expired or was replaced redirects to /error?code=invalid_link.",
  auth: [P],
  redirect: true,
  query: object({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
});
