// What would make a stolen session permanent: every such operation needs a proof that is younger than 15 minutes, and
// works once it is given.
import { operations } from "@svc/contract/operations.ts";
import { afterAll, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { newAuthenticator } from "../../../test/authenticator.ts";
import { password, tokenTo, withPassword } from "../../../test/letters.ts";
import { asked, cli, newVerifier, registered } from "../../../test/oauth.ts";
import { openIdProviders } from "../../../test/openid-provider.ts";
import { age, holding } from "../../../test/recency.ts";
import { codeOf, earlyInStep, withFactor } from "../../../test/second-factor.ts";
import { asSession, insertCredential, newKey, type Person, service } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";
import { insertAccount } from "./store.ts";

const openId = await openIdProviders();
afterAll(() => openId.stop());
const running = service({ providers: openId.config });

type Owner = Person & { workspaceId: string };
type Attempt = (person: Owner) => Promise<Answer>;
const post = (path: string, body?: object): Attempt => {
  return (person) => person.call("POST", path.replace("W", `/workspaces/${person.workspaceId}`), { body });
};
/** A membership of the owner's Workspace, straight in the database. */
async function memberOf({ workspaceId }: Owner, role: string, state = "active"): Promise<{ id: string; user: string }> {
  const [user, actor, id] = [newId(), newId(), newId()];
  await running.database.writer.use((tx) =>
    insertAccount(tx, {
      id: user,
      email: `${user}@example.com`,
      displayName: "Grace",
      username: user,
      passwordHash: null,
    }),
  );
  const values = [workspaceId, actor, user];
  await running.sql(
    "insert into actors (workspace_id, id, kind, user_id) values ($1, $2, 'human', $3)",
    values,
    workspaceId,
  );
  await running.sql(
    "insert into memberships (id, workspace_id, actor_id, user_id, role, state) values ($4, $1, $2, $3, $5, $6)",
    [...values, id, role, state],
    workspaceId,
  );
  return { id, user };
}
const change = (id: string, body: object): Attempt => {
  return ({ call, workspaceId }) =>
    call("PATCH", `/workspaces/${workspaceId}/members/${id}`, { body, headers: { "if-match": "*" } });
};
const consent = (request: string, decision = "approve"): Attempt => {
  return ({ call, workspaceId }) =>
    call("POST", "/oauth/consent", { body: { request, decision, workspace_id: workspaceId } });
};
const invite = (role: string): Attempt => {
  return (person) => post("W/invitations", { email: `${newId()}@example.com`, role })(person);
};

/** Each makes ready what it needs while the session is young, and gives what is then tried with an old one. */
const gated: Record<string, (person: Owner) => Promise<Attempt>> = {
  "adding a passkey": async () => post("/auth/passkeys/register/options"),
  "the end of adding a passkey": async (person) => {
    const { ceremony_token, options } = (await person.call("POST", "/auth/passkeys/register/options")).body;
    const response = newAuthenticator({ origin: running.url }).attest(options);
    return post("/auth/passkeys/register/verify", { ceremony_token, name: "Key", response });
  },
  "an API token": async () => post("/me/api-tokens", { name: "script", scopes: ["svc:read"] }),
  "an MCP service credential": async () => post("W/mcp-service-credentials", { name: "Report", scopes: ["svc:read"] }),
  "linking an identity": async () => post("/me/identities", { provider: "google" }),
  "consent to a developer client": async (person) => consent(await asked(person, cli, newVerifier())),
  "consent to an MCP client": async (person) => consent(await asked(person, await registered(running), newVerifier())),
  "consent to a native client": async (person) => {
    const client = { family: "native", id: "svc-mobile", redirectUri: "svc://oauth/callback" } as const;
    return consent(await asked(person, client, newVerifier()));
  },
  "inviting an admin": async () => invite("admin"),
  "inviting an admin again": async (person) => {
    const { body } = await invite("admin")(person);
    return ({ call, workspaceId }) =>
      call("POST", `/workspaces/${workspaceId}/invitations/${body.id}/resend`, { key: newKey() });
  },
  "making a member an admin": async (person) => change((await memberOf(person, "member")).id, { role: "admin" }),
  "making an admin an owner": async (person) => change((await memberOf(person, "admin")).id, { role: "owner" }),
  "letting a suspended admin back": async (person) =>
    change((await memberOf(person, "admin", "suspended")).id, { state: "active" }),
  "restoring a former admin": async (person) =>
    post("W/members", { user_id: (await memberOf(person, "admin", "removed")).user }),
  "restoring a former viewer as an owner": async (person) =>
    post("W/members", { user_id: (await memberOf(person, "viewer", "left")).user, role: "owner" }),
  "asking for another address": async () =>
    post("/me/email-change", { email: `${newId()}@example.com`, current_password: password }),
  "changing to another address": async (person) => {
    const email = `${newId()}@example.com`;
    await person.call("POST", "/me/email-change", { body: { email, current_password: password } });
    return post("/me/email-change/verify", { token: await tokenTo(running, email) });
  },
  "setting up a second factor": async () => post("/auth/mfa/totp/setup"),
  "turning a second factor on": async (person) => {
    const secret = (await person.call("POST", "/auth/mfa/totp/setup")).body.secret as string;
    return (again) => again.call("POST", "/auth/mfa/totp/confirm", { body: { code: codeOf(secret) } });
  },
};

const CODE = "recent_authentication_required";
for (const [what, ready] of Object.entries(gated))
  test(`${what} needs a recent proof, and works after it, in the same session`, async () => {
    const person = await withPassword(running);
    const elsewhere = newSecret("ses");
    await insertCredential(running, "session", elsewhere, person.userId, person.workspaceId, []);
    const attempt = await ready(person);
    await age(running, person.userId);
    const refused = await attempt(person);
    expect([refused.status, refused.body.code]).toEqual([403, CODE]);
    const proved = await person.call("POST", "/auth/reauthenticate", { body: { password } });
    expect(proved.status, proved.text).toBe(200);
    const other = await attempt({ ...person, session: elsewhere, call: asSession(running, elsewhere) });
    expect([other.status, other.body.code], "another session of the account").toEqual([403, CODE]);
    const done = await attempt(holding(running, person, proved));
    expect(done.status, done.text).toBeGreaterThanOrEqual(200);
    expect(done.status, done.text).toBeLessThan(300);
  });

test("new recovery codes, and removing the second factor, need a recent proof beside what they ask for", async () => {
  const person = await withPassword(running);
  const secret = await withFactor(running, person.userId);
  await earlyInStep();
  const codes = (at: Owner) =>
    at.call("POST", "/auth/mfa/recovery-codes/regenerate", { body: { current_password: password } });
  const remove = (at: Owner) =>
    at.call("DELETE", "/auth/mfa/totp", { body: { current_password: password, code: codeOf(secret, 1) } });
  await age(running, person.userId);
  for (const attempt of [codes, remove]) expect((await attempt(person)).body.code).toBe(CODE);
  const proved = await person.call("POST", "/auth/reauthenticate", { body: { code: codeOf(secret) } });
  const again = holding(running, person, proved);
  expect((await codes(again)).status).toBe(201);
  expect((await remove(again)).status).toBe(204);
});

test("what makes nothing permanent needs none: a viewer is invited, a member promoted to less, an admin suspended, a client denied", async () => {
  const person = await withPassword(running);
  const [member, admin] = [await memberOf(person, "viewer"), await memberOf(person, "admin")];
  const former = await memberOf(person, "member", "removed");
  const request = await asked(person, cli, newVerifier());
  await age(running, person.userId, "1 day");
  for (const attempt of [
    invite("member"),
    invite("viewer"),
    change(member.id, { role: "member" }),
    change(admin.id, { role: "admin" }),
    change(admin.id, { state: "suspended" }),
    change(admin.id, { role: "member", state: "active" }),
    post("W/members", { user_id: former.user }),
    consent(request, "deny"),
  ]) {
    const answer = await attempt(person);
    expect(answer.status, answer.text).toBeLessThan(300);
  }
});

test("a proof counts for 15 minutes and not longer", async () => {
  const person = await withPassword(running);
  const attempt = post("/me/api-tokens", { name: "script", scopes: ["svc:read"] });
  for (const [ago, status] of [
    ["14 minutes 50 seconds", 201],
    ["15 minutes", 403],
    ["29 days", 403],
  ] as const) {
    await age(running, person.userId, ago);
    expect((await attempt(person)).status, ago).toBe(status);
  }
});

test("no credential but a session can do what needs a recent proof: a token never becomes recent", () => {
  const needing = [...operations.values()].filter(({ recentAuth, errors }) => recentAuth || errors?.includes(CODE));
  expect(needing.length).toBeGreaterThan(15);
  for (const { id, auth } of needing) expect(auth, id).toEqual(["S"]);
});
