// Sign-in with an account at another provider, by OpenID Connect. Browsers arrive here by redirect, so failures are
// redirects too.
import Type from "typebox";
import { op, P } from "../../kit.ts";
import { object } from "../../types.ts";

/** Accepts any text: a value that is no path of this application is ignored instead of refused. */
export const ReturnTo = Type.Optional(
  Type.String({
    maxLength: 4096,
    description:
      "Destination after sign-in: a path in the web application, of an OAuth authorization, or of an invitation " +
      "without its token. Any other value is ignored.",
  }),
);

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
/** The fields of a provider's callback that the server reads; providers may send more. */
const answer = {
  state: Type.String({ minLength: 1, maxLength: 512 }),
  code: text(4096),
  error: text(200),
  iss: text(2048),
};
const callback = {
  auth: [P],
  redirect: true,
  session: "sets",
  lenient: true,
  limit: "token",
  errors: ["not_found"],
} as const;
const outcome =
  "Sets both session cookies and redirects to return_to, to the account's Workspace, or to the creation of one. " +
  "An account with a second factor is redirected to the page that asks for it. " +
  "Every failure redirects to /login?error=authentication_failed; " +
  "after linking, to /error?error=identity_taken if the identity belongs to another account.";

export const authorizeProvider = op("GET /auth/providers/{provider}/authorize", "Sign in with a provider", {
  description: "Redirects the browser to the provider. Answers 404 if the provider is not configured.",
  auth: [P],
  redirect: true,
  limit: "token",
  query: object({ return_to: ReturnTo }),
  quiet: "The person is unknown until the provider has answered.",
});

export const completeProviderSignIn = op(
  "GET /auth/providers/{provider}/callback",
  "Complete a sign-in at a provider",
  {
    ...callback,
    description: `The provider calls it through the browser. ${outcome}`,
    query: object(answer),
  },
);

export const completeProviderFormSignIn = op(
  "POST /auth/providers/{provider}/callback",
  "Complete a sign-in at a provider that posts a form",
  {
    ...callback,
    description: `The provider calls it through the browser. ${outcome}`,
    form: true,
    body: Type.Object({ ...answer, user: text(4096) }),
    example: { state: "dGhlIHN0YXRlIHRoYXQgd2FzIHNlbnQ", code: "c2hvcnQtbGl2ZWQ" },
  },
);
