// People with passwords, and the links that they get by mail, for the tests of passwords and addresses.
import { hashPassword } from "../src/accounts/identity/passwords/password.ts";
import { newId, newSecret, sha256 } from "../src/platform/wire/ids.ts";
import type { Answer } from "./answer.ts";
import { linkTo } from "./mailbox.ts";
import { insertCredential, type Person, sessionHeaders, type TestService, world } from "./world.ts";

export const password = "quartz-lantern-48-vellum";
const hash = hashPassword(password);

/** Somebody with a proved address and a password. */
export async function withPassword(running: TestService): Promise<Person & { workspaceId: string }> {
  const { owner, workspaceId } = await world(running);
  const change =
    "update users set password_hash = $2, email_verified_at = now(), email_proved_at = now() where id = $1";
  await running.sql(change, [owner.userId, await hash]);
  return { ...owner, workspaceId };
}

export const signIn = (running: TestService, email: string, given = password) =>
  running.send("POST", "/auth/login", { body: { email, password: given } });

export const forgot = (running: TestService, email: string, headers = {}) =>
  running.send("POST", "/auth/password/forgot", { body: { email }, headers });

/** The token in the newest link that was sent to this address. */
export const tokenTo = async (running: TestService, address: string) =>
  (await linkTo(running, address)).searchParams.get("token") as string;

/** A live token of a reset link. */
export async function resetToken(running: TestService, email: string): Promise<string> {
  await forgot(running, email);
  return tokenTo(running, email);
}

/** Moves the time of a link. */
export const setLink = (running: TestService, token: string, assignment: string) =>
  running.sql(`update email_links set ${assignment} where token_hash = $1`, [sha256(token)]);

export const many = (times: number, work: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)));

/** What an answer shows of itself, without what differs between any two. */
export const shown = ({ status, text, headers }: Answer) => {
  const { date: _, "x-correlation-id": __, "x-svc-command-id": ___, ...rest } = Object.fromEntries(headers);
  return { status, text, headers: rest };
};

/** A credential of each kind, and the operation that tells whether it lives. */
export async function everyKind(
  running: TestService,
  { userId, workspaceId }: { userId: string; workspaceId: string },
) {
  const grantId = newId();
  await running.sql(
    `insert into oauth_grants (id, family, client_id, client_name, user_id, scopes)
      values ($1, 'native', 'x', 'x', $2, '{}')`,
    [grantId, userId],
  );
  const secrets = {
    session: newSecret("ses"),
    native: newSecret("nat"),
    developer: newSecret("dat"),
    personal: newSecret("pat"),
  };
  for (const [kind, secret] of Object.entries(secrets))
    await insertCredential(running, kind, secret, userId, workspaceId, ["svc:read"]);
  const status = async (path: string, headers: Record<string, string>) =>
    (await running.send("GET", path, { headers })).status;
  const projects = `/workspaces/${workspaceId}/projects`;
  const as = (secret: string) => ({ authorization: `Bearer ${secret}`, "x-svc-workspace-id": workspaceId });
  return {
    live: async () => ({
      session: await status("/me", sessionHeaders(secrets.session)),
      native: await status("/me", as(secrets.native)),
      developer: await status(projects, as(secrets.developer)),
      personal: await status(projects, as(secrets.personal)),
      grant: (await running.sql("select from oauth_grants where id = $1 and revoked_at is null", [grantId])).length,
    }),
  };
}
export const ALL_LIVE = { session: 200, native: 200, developer: 200, personal: 200, grant: 1 };
export const NONE_LIVE = { session: 401, native: 401, developer: 401, personal: 401, grant: 0 };
export const ONLY_TOKENS = { session: 401, native: 401, developer: 401, personal: 200, grant: 0 };
