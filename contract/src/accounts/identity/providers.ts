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
      "Where to go afterwards: a path in the web application, of an OAuth authorization, or of an invitation without its token. Anything else is ignored.",
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
  "Sets both session cookies and leads to return_to, to the account's Workspace, or to the creation of one; where the account has a second factor, to the page that asks for it. Every failure leads to /login?error=authentication_failed; after linking, to /error?error=identity_taken where the identity belongs to another account.";

export const authorizeProvider = op("GET /auth/providers/{provider}/authorize", "Sign in with a provider", {
  description: "Leads the browser to the provider. 404 where the provider is not configured.",
  auth: [P],
  redirect: true,
  limit: "token",
  query: object({ return_to: ReturnTo }),
  quiet: "nothing is known of anybody before the provider has answered",
});

export const completeProviderSignIn = op("GET /auth/providers/{provider}/callback", "Come back from a provider", {
  ...callback,
  description: `Called by the provider, through the browser. ${outcome}`,
  query: object(answer),
});

export const completeProviderFormSignIn = op(
  "POST /auth/providers/{provider}/callback",
  "Come back from a provider that posts a form",
  {
    ...callback,
    description: `Called by the provider, through the browser. ${outcome}`,
    form: true,
    body: Type.Object({ ...answer, user: text(4096) }),
    example: { state: "dGhlIHN0YXRlIHRoYXQgd2FzIHNlbnQ", code: "c2hvcnQtbGl2ZWQ" },
  },
);
