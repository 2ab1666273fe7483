// A native application for tests: what it sends to authorize, and families of tokens without the cost of verifying a
// password.
import { createHash, randomBytes } from "node:crypto";
import { hashPassword } from "../src/accounts/identity/passwords/password.ts";
import { type Issued, insertGrant, issueTokens } from "../src/accounts/oauth/store.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { type Options, type TestService, world } from "./world.ts";

export const CALLBACK = "svc://oauth/callback";

export function pkce() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** The query of an authorization request. */
export const nativeRequest = (challenge = pkce().challenge): Record<string, string> => ({
  response_type: "code",
  client_id: "svc-mobile",
  redirect_uri: CALLBACK,
  code_challenge: challenge,
  code_challenge_method: "S256",
  state: "as it was sent",
});

/** A new family, as a sign-in issues it. */
export async function nativeTokens(running: TestService, userId: string): Promise<Issued> {
  const grant = { id: newId(), family: "native", clientId: "svc-mobile", clientName: "svc for mobile" } as const;
  const scopes = ["svc:read", "svc:write", "svc:discuss"];
  return running.database.writer.use(async (tx) => {
    const resource = `${running.url}/api/v1`;
    await insertGrant(tx, { ...grant, userId, workspaceId: null, scopes, resource, refreshes: true });
    return (await issueTokens(tx, "native", grant.id)) as Issued;
  });
}

export const refreshRequest = ({ refresh }: Pick<Issued, "refresh">): Record<string, string> => ({
  grant_type: "refresh_token",
  client_id: "svc-mobile",
  refresh_token: refresh as string,
});

export const sendForm = (running: TestService, path: string, fields: Record<string, string>) =>
  running.send("POST", path, {
    raw: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });

export const password = "quartz-lantern-48-vellum";
const hash = hashPassword(password);

/** What a native application does with a service. */
export function nativeClient(running: TestService) {
  const withToken = (token: string, method: string, path: string, options: Options = {}) =>
    running.send(method, path, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } });
  return {
    login: (body: object, headers = {}) => running.send("POST", "/mobile/auth/login", { body, headers }),
    refresh: (tokens: Pick<Issued, "refresh">) => sendForm(running, "/mobile/oauth/token", refreshRequest(tokens)),
    withToken,
    getsIn: async (token: string) => (await withToken(token, "GET", "/me")).status === 200,
    /** The owner of a new Workspace, with a password. */
    async owner() {
      const made = await world(running);
      const change =
        "update users set password_hash = $2, email_verified_at = now(), email_proved_at = now() where id = $1";
      await running.sql(change, [made.owner.userId, await hash]);
      return { ...made, email: made.owner.email, userId: made.owner.userId };
    },
  };
}
