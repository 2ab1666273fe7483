// Sign-in and sign-out with a password, and the browser session that results.
import Type from "typebox";
import { op, P, S } from "../../kit.ts";
import { Email, Id, Name, object, Typed } from "../../types.ts";
import { Account } from "../account/account.ts";
import { SignInChallenge } from "./second-factor.ts";

export const Password = Type.String({
  minLength: 12,
  maxLength: 128,
  format: "line",
  description:
    "12 to 128 characters, never trimmed, compared in Unicode form NFC. Refused if it is known from a breach.",
});
const remember_me = Type.Optional(
  Type.Boolean({
    description: "Omitted or true: cookies for 30 days. false: cookies without expiry, for at most 48 hours.",
  }),
);

export const register = op("POST /auth/register", "Create an account and sign in", {
  description:
    "Creates an account without a Workspace, which can read account resources and create its first " +
    "Workspace. The address is unverified at first. With an invitation token for this address, the " +
    "account is verified, joins that Workspace and is signed in there; the token from the mail also " +
    "proves the address. Sets both session cookies.",
  auth: [P],
  status: 201,
  creates: "/me",
  limit: "register",
  session: "sets",
  body: object({
    email: Email,
    password: Password,
    display_name: Name(100),
    invitation_token: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    remember_me,
  }),
  example: { email: "ada@example.com", password: "correct horse battery staple", display_name: "Ada" },
  returns: Account,
  errors: ["email_taken", "invalid_invitation", "password_breached", "plan_limit"],
});

export const login = op("POST /auth/login", "Sign in with a password", {
  description:
    "Starts a new session in the Workspace that you last entered, otherwise in your oldest one, otherwise without " +
    "a Workspace. Every failure is the same 401. Wrong passwords count against the given address, " +
    "from any network; above the limit, browsers and networks that have not signed in to the account get 429. " +
    "If your network has failed too often, a wrong password is refused with 429 too, and a correct one " +
    "still signs in, after a few seconds. Sets both session cookies; for an account with a second factor " +
    "it sets none and returns a challenge instead.",
  auth: [P],
  limit: "sign_in",
  session: "sets",
  body: object({ email: Typed, password: Typed, remember_me }),
  example: { email: "ada@example.com", password: "correct horse battery staple" },
  returns: Type.Union([Account, SignInChallenge]),
  errors: ["invalid_credentials"],
});

export const logout = op("POST /auth/logout", "Sign out of this session only", { auth: [S], session: "clears" });

export const getCsrfToken = op("GET /auth/csrf", "Read the session's CSRF token", {
  auth: [S],
  returns: object({ csrf_token: Type.String({ minLength: 43, maxLength: 43 }) }),
});

export const replaceSessionWorkspace = op("PUT /auth/session/workspace", "Switch the session to another Workspace", {
  description:
    "Replaces both session cookies: read the CSRF cookie again afterwards. The session keeps its age, " +
    "and its previous secret becomes invalid at once. A concurrent read with the previous secret is refused " +
    "with 401, which leaves the new cookies unchanged; send it again.",
  auth: [S],
  session: "rotates",
  body: object({ workspace_id: Id }),
  example: { workspace_id: "01980000-0000-7000-8000-000000000001" },
  errors: ["workspace_access_denied"],
});
