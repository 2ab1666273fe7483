// One line an operation: how the checks over all operations make a valid call of it. An operation without a line fails them.
// A path parameter is made by its name; a body is the contract's example unless it must be unique or name something that exists.

import { type LinkKind, putLink } from "../src/identity/link-store.ts";
import { newTotpSecret } from "../src/identity/one-time-code.ts";
import { hashPassword } from "../src/identity/password.ts";
import { insertAccount, insertSession } from "../src/identity/store.ts";
import { newId, newSecret, sha256 } from "../src/kernel/ids.ts";
import { beginLogin, newAuthenticator } from "./authenticator.ts";
import { nativeRequest, nativeTokens, refreshRequest } from "./native.ts";
import { asked, authorizePath, cli, newVerifier, registered, tokensFor } from "./oauth.ts";
import { broughtBack, marked } from "./openid-provider.ts";
import { smallPicture } from "./pictures.ts";
import { browser } from "./push-receiver.ts";
import { challengeFor, codeOf, withFactor } from "./second-factor.ts";
import type { Home } from "./stage.ts";
import { asSession, insertCredential, type Person } from "./world.ts";

export interface Made {
  id: string;
  revision?: string;
}
export interface Fixture {
  /** Who calls, where it is not the owner: somebody new each time a call succeeds. */
  caller?: (home: Home) => Promise<Person>;
  body?: (home: Home, person: Person) => unknown;
  /** What the query must say. */
  query?: string | ((home: Home, person: Person) => Promise<string>);
  /** What must be sent along. */
  headers?: Record<string, string>;
  /** What must have happened to the things in the path before. */
  before?: (home: Home, ids: Record<string, string>) => Promise<unknown>;
  /** For a list: makes one more row. Every list is read with two rows at least. */
  row?: (home: Home, ids: Record<string, string>) => Promise<unknown>;
}

async function created(home: Home, path: string, body: unknown): Promise<Made> {
  const answer = await home.owner.call("POST", path, { body, key: `fixture-${newId()}` });
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status} ${answer.text}`);
  return answer.body;
}
let count = 0;
/** Letters that no other call of this test file has used. */
const letters = () => `K${(++count).toString(36).padStart(5, "0")}`.toUpperCase();

/** Makes one of what a path parameter names. */
export const makers: Record<string, (home: Home) => Promise<Made>> = {
  workspace_id: async ({ workspaceId }) => ({ id: workspaceId }),
  project_id: (home) => created(home, `/workspaces/${home.workspaceId}/projects`, { key: letters(), name: "Project" }),
  task_id: async (home) => created(home, `/projects/${await home.id("project_id")}/tasks`, { title: "Task" }),
  task_code: async (home) => {
    const task = await created(home, `/projects/${await home.id("project_id")}/tasks`, { title: "Task" });
    return { id: (task as unknown as { code: string }).code };
  },
  comment_id: async (home) => created(home, `/tasks/${await home.id("task_id")}/comments`, { markdown: "Comment" }),
  token_id: (home) => created(home, "/me/api-tokens", { name: "token", scopes: ["svc:read"] }),
  credential_id: signedInApplication,
  grant_id: mcpGranted,
  identity_id: linkedIdentity,
  passkey_id: async ({ running, owner }) => ({
    id: await newAuthenticator({ origin: running.url }).plant(running, owner.userId),
  }),
  reaction: async () => ({ id: "heart" }),
  user_id: async (home) => ({ id: (await withPicture(home)).userId }),
  username: async ({ owner }) => ({ id: owner.userId }),
  session_id: anotherSession,
  provider: async () => ({ id: "google" }),
  // The one that changes nothing: following it is a read.
  kind: async () => ({ id: "invitation" }),
};
const insertIdentities = ({ running, owner }: Home, providers: string) =>
  running.sql<Made>(
    `insert into identities (id, user_id, provider, subject) select gen_random_uuid(), $1, p, gen_random_uuid()::text
     from unnest($2::text[]) p on conflict do nothing returning id`,
    [owner.userId, `{${providers}}`],
  );
/** Two of the owner's identities, which stay: calls of several operations run at the same time. */
const lastingIdentities = (home: Home) => insertIdentities(home, "google,microsoft");
/** One beside them, to be removed. An account has one of each provider, so the new one takes the place of the last. */
async function linkedIdentity(home: Home): Promise<Made> {
  const { running, owner } = home;
  await lastingIdentities(home);
  await running.sql("delete from identities where user_id = $1 and provider = 'apple'", [owner.userId]);
  return (await insertIdentities(home, "apple"))[0] as Made;
}
/** Parameters that name something of the caller's account and not of a Workspace. */
export const ofAccount = new Set(["credential_id", "grant_id", "identity_id", "passkey_id", "session_id", "token_id"]);

/** An account that belongs to no Workspace. */
async function newcomer({ running, owner }: Home): Promise<Person> {
  const userId = newId();
  const email = `${userId}@example.com`;
  const session = await running.database.writer.use(async (tx) => {
    await insertAccount(tx, { id: userId, email, displayName: "New", username: userId, passwordHash: null });
    return insertSession(tx, userId, null, true);
  });
  return { ...owner, userId, actorId: "", email, session, call: asSession(running, session) };
}
/** The owner in a session of its own, which the call may end. */
async function againOwner({ running, owner, workspaceId }: Home): Promise<Person> {
  const session = newSecret("ses");
  await insertCredential(running, "session", session, owner.userId, workspaceId, []);
  return { ...owner, session, call: asSession(running, session) };
}
/** One more session of the owner. */
async function anotherSession({ running, owner, workspaceId }: Home): Promise<Made> {
  const secret = newSecret("ses");
  await insertCredential(running, "session", secret, owner.userId, workspaceId, []);
  const [made] = await running.sql<Made>("select id from credentials where secret_hash = $1", [sha256(secret)]);
  return made as Made;
}
/** One of the owner's native applications. */
async function signedInApplication({ running, owner }: Home): Promise<Made> {
  const [made] = await running.sql<Made>(
    `insert into oauth_grants (id, family, client_id, client_name, user_id, scopes, last_used_at)
     values ($1, 'native', 'svc-mobile', 'svc for mobile', $2, '{svc:read}', now()) returning id`,
    [newId(), owner.userId],
  );
  return made as Made;
}
/** One of the owner's MCP clients, through the whole flow. */
async function mcpGranted(home: Home): Promise<Made> {
  const client = await registered(home.running);
  await tokensFor(home.running, home, client);
  return (await home.running.sql<Made>("select id from oauth_grants where client_id = $1", [client.id]))[0] as Made;
}
/** The form with which a developer client or an MCP client goes on. */
async function refreshing(home: Home, family: "developer" | "mcp") {
  const client = family === "mcp" ? await registered(home.running) : cli;
  const { refresh_token } = await tokensFor(home.running, home, client);
  return { grant_type: "refresh_token", client_id: client.id, refresh_token };
}
const queryOf = (path: string) => path.slice(path.indexOf("?"));

/** A device for each native credential that the checks call with. */
const DEVICES = `
insert into push_endpoints (id, user_id, grant_id, kind, address_hash, sealed)
select gen_random_uuid(), user_id, id, 'ios', sha256(id::text::bytea), 'test' from oauth_grants
where user_id = $1 and client_id = 'svc-test' and family = 'native' and revoked_at is null on conflict do nothing`;
const pushSubscription = () => browser().subscription;
const password = "quartz-lantern-48-vellum";
const totpSecret = newTotpSecret();
const passwordHash = hashPassword(password);
const newPassword = "vellum-lantern-48-quartz";
/** Somebody with a password. */
async function withPassword(home: Home): Promise<Person> {
  const person = await home.member("member");
  const change = "update users set password_hash = $2, email_verified_at = now() where id = $1";
  await home.running.sql(change, [person.userId, await passwordHash]);
  return person;
}
/** The token of a link that was sent to somebody. */
const linkOf = ({ running }: Home, { userId, email }: Person, kind: LinkKind, to = email) =>
  running.database.writer.use((tx) => putLink(tx, userId, kind, to));
/** Somebody with an authenticator, and without a password. */
const withAuthenticator = (confirmed: boolean) => async (home: Home) => {
  const person = await home.member("member");
  await withFactor(home.running, person.userId, { secret: totpSecret, confirmed });
  return person;
};

/** Somebody with a profile picture. */
async function withPicture(home: Home): Promise<Person> {
  const person = await home.member("member");
  const headers = { "content-type": "image/png" };
  const { status } = await person.call("POST", "/me/profile-picture", { raw: await smallPicture(), headers });
  if (status !== 200) throw new Error(`POST /me/profile-picture answered ${status}`);
  return person;
}

export const fixtures: Record<string, Fixture> = {
  register: { body: () => ({ email: `${newId()}@example.com`, password, display_name: "Ada" }) },
  login: { body: async (home) => ({ email: await home.registered(password), password }) },
  logout: { caller: againOwner },
  getCsrfToken: {},
  replaceSessionWorkspace: { caller: againOwner, body: ({ workspaceId }) => ({ workspace_id: workspaceId }) },
  resendEmailVerification: { body: async ({ member }) => ({ email: (await member("member")).email }) },
  requestPasswordReset: { body: async (home) => ({ email: (await withPassword(home)).email }) },
  resetPassword: {
    body: async (home) => {
      const person = await withPassword(home);
      return { token: await linkOf(home, person, "password_reset"), new_password: newPassword };
    },
  },
  changePassword: {
    caller: withPassword,
    body: () => ({ current_password: password, new_password: newPassword }),
  },
  getContinuation: { query: `?token=${newSecret("inv")}` },
  requestEmailChange: {
    caller: withPassword,
    body: () => ({ email: `${newId()}@example.com`, current_password: password }),
  },
  verifyEmailChange: {
    caller: ({ member }) => member("member"),
    body: async (home, person) => ({ token: await linkOf(home, person, "email_change", `${newId()}@example.com`) }),
  },
  setUpTotp: { caller: ({ member }) => member("member") },
  confirmTotp: { caller: withAuthenticator(false), body: () => ({ code: codeOf(totpSecret) }) },
  regenerateRecoveryCodes: { caller: withAuthenticator(true) },
  deleteTotp: { caller: withAuthenticator(true), body: () => ({ code: codeOf(totpSecret) }) },
  verifySecondFactor: {
    body: async (home) => {
      const { userId } = await withAuthenticator(true)(home);
      return { mfa_token: await challengeFor(home.running, userId), code: codeOf(totpSecret), remember_me: true };
    },
  },
  authorizeProvider: {},
  completeProviderSignIn: {
    ...marked,
    query: async ({ running }) => `?${new URLSearchParams(await broughtBack(running, "google"))}`,
  },
  completeProviderFormSignIn: {
    ...marked,
    before: async (_home, ids) => {
      ids.provider = "apple";
    },
    body: ({ running }) => broughtBack(running, "apple"),
  },
  listIdentities: { row: lastingIdentities },
  linkIdentity: { caller: ({ member }) => member("member") },
  deleteIdentity: {},
  createPasskeyLoginOptions: {},
  loginWithPasskey: {
    body: async ({ running, member }) => {
      const [{ userId }, authenticator] = [await member("member"), newAuthenticator({ origin: running.url })];
      await authenticator.plant(running, userId);
      const { ceremony_token, options } = await beginLogin(running);
      return { ceremony_token, response: authenticator.assert(options, userId) };
    },
  },
  createPasskeyOptions: { caller: ({ member }) => member("member") },
  createPasskey: {
    caller: ({ member }) => member("member"),
    body: async ({ running }, caller) => {
      const { ceremony_token, options } = (await caller.call("POST", "/auth/passkeys/register/options")).body;
      return { ceremony_token, name: "Key", response: newAuthenticator({ origin: running.url }).attest(options) };
    },
  },
  listPasskeys: { row: (home) => home.make("passkey_id") },
  updatePasskey: {},
  deletePasskey: { before: (home) => home.make("passkey_id") },
  getMe: {},
  replaceProfilePicture: { caller: ({ member }) => member("member"), body: smallPicture },
  deleteProfilePicture: { caller: withPicture },
  getProfilePictureContent: { caller: withPicture },
  getPerson: {},
  getPersonPictureContent: {},
  listPersonActivity: { row: (home) => home.make("project_id") },
  updateMe: { caller: ({ member }) => member("member") },
  replaceInterfaceLanguage: {},
  listSessions: { row: anotherSession },
  deleteOtherSessions: { caller: ({ member }) => member("member") },
  deleteSession: {},
  listApiTokens: { row: (home) => home.make("token_id") },
  createApiToken: { caller: ({ member }) => member("member") },
  deleteApiToken: {},
  listMcpGrants: { row: mcpGranted },
  deleteMcpGrant: {},
  getConsent: { query: async (_home, person) => `?request=${await asked(person, cli, newVerifier())}` },
  answerConsent: {
    body: async ({ workspaceId }, person) => ({
      request: await asked(person, cli, newVerifier()),
      decision: "approve",
      workspace_id: workspaceId,
    }),
  },
  authorizeDeveloperClient: { query: queryOf(authorizePath(cli, newVerifier())) },
  createDeveloperToken: { body: (home) => refreshing(home, "developer") },
  revokeDeveloperToken: { caller: ({ member }) => member("member") },
  getDeveloperWorkspace: {},
  replaceDeveloperWorkspace: {
    caller: ({ member }) => member("member"),
    body: ({ workspaceId }) => ({ workspace_id: workspaceId }),
  },
  listDeveloperWorkspaces: { row: (home) => home.joinAnother() },
  registerMcpClient: {},
  authorizeMcpClient: {
    query: async ({ running }) => queryOf(authorizePath(await registered(running), newVerifier())),
  },
  createMcpToken: { body: (home) => refreshing(home, "mcp") },
  revokeMcpToken: {
    body: async (home) => {
      const { client_id, refresh_token } = await refreshing(home, "mcp");
      return { client_id, token: refresh_token };
    },
  },
  exchangeMcpToken: { body: ({ workspaceId }) => ({ workspace_id: workspaceId, scopes: ["svc:read", "svc:write"] }) },
  signInMobile: { body: async (home) => ({ email: await home.registered(password), password }) },
  verifyMobileSecondFactor: {
    body: async (home) => {
      const { userId } = await withAuthenticator(true)(home);
      return { mfa_token: await challengeFor(home.running, userId, "native"), code: codeOf(totpSecret) };
    },
  },
  registerMobile: { body: () => ({ email: `${newId()}@example.com`, password, display_name: "Ada" }) },
  authorizeMobileClient: { query: `?${new URLSearchParams(nativeRequest())}` },
  createMobileToken: { body: async ({ running, owner }) => refreshRequest(await nativeTokens(running, owner.userId)) },
  revokeMobileToken: { caller: ({ member }) => member("member") },
  listMobileCredentials: { row: signedInApplication },
  deleteMobileCredentials: {
    caller: async (home) => {
      const owner = await home.member("member");
      await signedInApplication({ ...home, owner });
      return owner;
    },
  },
  deleteMobileCredential: {},
  getBrowserPushConfig: {},
  replaceBrowserPushEndpoint: { caller: ({ member }) => member("member"), body: pushSubscription },
  deleteBrowserPushEndpoint: {
    before: ({ owner }) => owner.call("PUT", "/me/push-endpoints/browser", { body: pushSubscription() }),
  },
  replacePushDevice: { caller: ({ member }) => member("member"), body: () => ({ platform: "ios", token: newId() }) },
  deletePushDevice: { before: ({ running, owner }) => running.sql(DEVICES, [owner.userId]) },
  listWorkspaces: { row: (home) => home.joinAnother() },
  createWorkspace: { caller: ({ member }) => member("member") },
  bootstrapWorkspace: { caller: newcomer, body: () => ({ name: "First", slug: `first-${newId()}` }) },
  getWorkspace: {},
  listMembers: { row: ({ member }) => member("member") },
  listWorkspaceStatuses: {},
  createWorkspaceStatus: { body: () => ({ name: letters(), category: "started" }) },
  listProjects: { row: (home) => home.make("project_id") },
  createProject: { body: () => ({ key: letters(), name: "Project" }) },
  getProject: {},
  updateProject: {},
  listProjectStatuses: {},
  listProjectTasks: { row: (home, ids) => created(home, `/projects/${ids.project_id}/tasks`, { title: "Task" }) },
  createTask: {},
  getTask: {},
  updateTask: {},
  getTaskByCode: {},
  listTaskComments: { row: (home, ids) => created(home, `/tasks/${ids.task_id}/comments`, { markdown: "Hm." }) },
  createTaskComment: {},
  getComment: {},
  updateComment: {},
  deleteComment: {},
  addReaction: {},
  removeReaction: {
    before: ({ owner }, ids) => owner.call("PUT", `/comments/${ids.comment_id}/reactions/${ids.reaction}`),
  },
  listWorkspaceActivity: { row: (home) => home.make("project_id") },
};
