// Native applications: sign-in inside the application or in the system's browser, and the tokens that result. No
// operation here reads or sets a cookie, except that the browser sent to authorize uses its own session.
import Type from "typebox";
import { M, op, P } from "../../kit.ts";
import { Email, Line, Name, object, Typed } from "../../types.ts";
import { Account } from "../account/account.ts";
import { SignInChallenge } from "../identity/second-factor.ts";
import { Password } from "../identity/sessions.ts";
import { authorizing, exchanging, OAuthTokens } from "./protocol.ts";

const device_name = Type.Optional({
  ...Name(100),
  description: "Name that the person gives the device; shown in the list of signed-in applications.",
});

export const NativeSignIn = object({ ...OAuthTokens.properties, refresh_token: Type.String(), account: Account });

export const signInMobile = op("POST /mobile/auth/login", "Sign in with a password in a native application", {
  description:
    "Returns tokens, or a challenge for POST /mobile/auth/mfa/verify if the account has a second factor. " +
    "An access token is valid for 15 minutes in every Workspace of yours; each request names the Workspace in " +
    "its path or in X-Svc-Workspace-ID. Every failure is the same 401.",
  auth: [P],
  limit: "sign_in",
  body: object({ email: Typed, password: Typed, device_name }),
  example: { email: "ada@example.com", password: "correct horse battery staple", device_name: "Ada's phone" },
  returns: Type.Union([NativeSignIn, SignInChallenge]),
  errors: ["invalid_credentials"],
});

export const verifyMobileSecondFactor = op("POST /mobile/auth/mfa/verify", "Complete a native sign-in with a code", {
  description:
    "The challenge expires after five minutes or five wrong codes. A challenge issued to a browser is not " +
    "accepted here, nor the reverse.",
  auth: [P],
  limit: "sign_in",
  body: object({
    mfa_token: Line(200),
    code: Type.String({ minLength: 6, maxLength: 64, format: "line" }),
  }),
  example: { mfa_token: "svc_mfa_4pW0ZQm8yTjH2cVx6RkLb1sNf9uEoA3d3sVb0K", code: "492039" },
  returns: NativeSignIn,
  errors: ["invalid_code", "invalid_challenge"],
});

export const registerMobile = op("POST /mobile/auth/register", "Create an account in a native application", {
  description: "Works like POST /auth/register, but returns tokens instead of cookies.",
  auth: [P],
  status: 201,
  creates: "/me",
  limit: "register",
  body: object({
    email: Email,
    password: Password,
    display_name: Name(100),
    invitation_token: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    device_name,
  }),
  example: { email: "ada@example.com", password: "correct horse battery staple", display_name: "Ada" },
  returns: NativeSignIn,
  errors: ["email_taken", "invalid_invitation", "password_breached", "plan_limit"],
});

export const authorizeMobileClient = op("GET /mobile/oauth/authorize", "Request access for a native application", {
  description:
    "Open it in the system's browser, for sign-in with a passkey or a provider: client svc-mobile, " +
    "callback svc://oauth/callback, S256 PKCE. Redirects the browser to the consent page and back to the " +
    "application with a code or an error; a browser without a session signs in first.",
  auth: [P],
  ...authorizing,
});

export const createMobileToken = op("POST /mobile/oauth/token", "Exchange a native code or refresh token", {
  description:
    "A code is valid once and for five minutes, an access token for 15 minutes, a refresh token once and for 60 " +
    "days. Reuse of a code or refresh token revokes the whole token family.",
  ...exchanging,
  example: {
    grant_type: "refresh_token",
    client_id: "svc-mobile",
    refresh_token: "svc_nrt_4pW0ZQm8yTjH2cVx6RkLb1sNf9uEoA3d3sVb0K",
  },
});

export const revokeMobileToken = op("POST /mobile/oauth/revoke", "Sign this native application out", {
  description: "Revokes all access and refresh tokens of its token family.",
  auth: [M],
  endsCredential: true,
});
