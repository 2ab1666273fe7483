// Credentials of a command: a token from the environment, or the selected profile. An expiring access token is renewed
// by one process at a time; a second process reads the tokens that the first one received. A refresh token is sent only
// once, because a second use revokes all tokens of its family.
import { type Client, createClient, Problem } from "@svc/client";
import { EXIT, Failure } from "../failure.ts";
import type { Input } from "../input.ts";
import type { Runtime } from "../runtime.ts";
import { send } from "../send-request.ts";
import { locked } from "./lock.ts";
import {
  addressOf,
  chosenProfile,
  makeDirs,
  type Place,
  type Profile,
  profileFile,
  readPlace,
  readProfile,
  removeProfile,
  type Tokens,
  unwritable,
  writeProfile,
} from "./profiles.ts";

export const CLIENT_ID = "svc-cli";
export const DEFAULT_URL = "http://localhost:8080";
/** An access token is renewed this long before it expires. */
const EARLY_MS = 30_000;

export interface Session {
  url: string;
  /** Undefined for a token from the environment. */
  profile: string | undefined;
  scope: string;
  client: Client;
  /** The current token; after a refusal, a renewed one. */
  token(refused: boolean): Promise<string>;
  /** The Workspace of the credential. */
  workspace(): Promise<Place["workspace"]>;
  workspaceId(): Promise<string>;
}

type Env = NodeJS.ProcessEnv;
/** Token renewal ignores signals. */
type Caller = Pick<Runtime, "env" | "onSignals">;
export type Issued = Omit<Tokens, "expires_at" | "refresh_token"> & { refresh_token?: string; expires_in: number };
export const tokensOf = ({ access_token, refresh_token, expires_in, scope }: Issued): Tokens => ({
  access_token,
  refresh_token: refresh_token ?? "",
  expires_at: Date.now() + expires_in * 1000,
  scope,
});

/** For calls without a credential, or with a given token. */
export const clientAt = (url: string, token?: string) => createClient({ url, token, attempts: 3, fetch: send });

const signIn = (message: string, profile?: string) =>
  new Failure(EXIT.signIn, message, `Sign in: svc login${profile ? ` --profile ${profile}` : ""}`);

export function openSession(input: Caller & Pick<Input, "text">): Session {
  const { env } = input;
  if (env.SVC_TOKEN) return withToken(env, env.SVC_TOKEN, input.text("profile"));
  const name = chosenProfile(env, input.text("profile"));
  const profile = name === undefined ? undefined : readProfile(env, name);
  if (!profile)
    throw name === undefined
      ? new Failure(EXIT.signIn, "You are not signed in.", "Sign in: svc login ADDRESS, or set SVC_TOKEN and SVC_URL")
      : signIn(`There is no profile ${name}.`, name);
  return withProfile(input, profile);
}

function withToken(env: Env, secret: string, asked: string | undefined): Session {
  const name = env.SVC_URL ? undefined : chosenProfile(env, asked);
  const url = env.SVC_URL ? addressOf(env.SVC_URL) : ((name && readPlace(env, name)?.url) ?? DEFAULT_URL);
  const token = async (refused: boolean) => {
    if (refused)
      throw new Failure(
        EXIT.signIn,
        `${url} does not accept SVC_TOKEN.`,
        "Make another token in the account's settings.",
      );
    return secret;
  };
  const client = createClient({ url, token, attempts: 3, fetch: send });
  let found: ReturnType<Session["workspace"]> | undefined;
  const workspace = () => {
    found ??= client.getTokenWorkspace().then(({ workspace_id: id, slug, name }) => ({ id, slug, name }));
    return found;
  };
  return {
    url,
    profile: undefined,
    scope: "svc:read svc:write",
    client,
    token,
    workspace,
    workspaceId: async () => env.SVC_WORKSPACE || (await workspace()).id,
  };
}

function withProfile(caller: Caller, opened: Profile): Session {
  let profile = opened;
  const token = async (refused: boolean) => {
    const { access_token, expires_at } = profile.tokens;
    if (refused || expires_at - EARLY_MS < Date.now()) profile = await renewed(caller, profile.name, access_token);
    return profile.tokens.access_token;
  };
  return {
    url: profile.url,
    profile: profile.name,
    scope: profile.tokens.scope,
    client: createClient({ url: profile.url, token, attempts: 3, fetch: send }),
    token,
    workspace: async () => profile.workspace,
    workspaceId: async () => profile.workspace.id,
  };
}

/** Changes a profile under its lock. `change` receives the profile's current state. */
export async function changing(
  caller: Caller,
  name: string,
  change: (profile: Profile) => Promise<Profile>,
): Promise<Profile> {
  const { env } = caller;
  makeDirs(env);
  const work = async () => {
    const profile = readProfile(env, name);
    if (!profile) throw signIn(`There is no profile ${name}.`, name);
    return uninterrupted(caller, async () => {
      const next = await change(profile);
      if (next !== profile) writeProfile(env, next);
      return next;
    });
  };
  return locked(profileFile(env, name), work).catch((error) => {
    throw unwritable(env, error);
  });
}

/** Deletes a profile under its lock: a concurrent token renewal would write it again. */
export async function forgotten({ env }: Caller, name: string): Promise<void> {
  await locked(profileFile(env, name), async () => removeProfile(env, name), "goes").catch((error) => {
    throw unwritable(env, error);
  });
}

/** Ignores signals between sending a refresh token and storing its successor. */
async function uninterrupted<T>({ onSignals }: Caller, work: () => Promise<T>): Promise<T> {
  const stopIgnoring = onSignals(["SIGINT", "SIGTERM", "SIGHUP"], () => {});
  try {
    return await work();
  } finally {
    stopIgnoring();
  }
}

const renewed = (caller: Caller, name: string, used: string): Promise<Profile> =>
  changing(caller, name, async (profile) => {
    // Another process has renewed the token already.
    if (profile.tokens.access_token !== used) return profile;
    // Tests that the file is writable first: if the new tokens could not be stored, the whole family would be lost.
    writeProfile(caller.env, profile);
    const asked = { grant_type: "refresh_token", client_id: CLIENT_ID, refresh_token: profile.tokens.refresh_token };
    try {
      return { ...profile, tokens: tokensOf((await clientAt(profile.url).createDeveloperToken(asked)) as Issued) };
    } catch (error) {
      if (error instanceof Problem && error.code === "invalid_grant")
        throw signIn(`Your sign-in at ${profile.url} has ended.`, name);
      throw error;
    }
  });
