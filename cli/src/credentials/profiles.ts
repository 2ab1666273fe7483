// Profiles: a server and a Workspace under a name, with their tokens, each in a file that only its owner can read. On a
// system with a keychain the tokens are in the keychain, and the file refers to it. A file is replaced as a whole,
// never written in place.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { EXIT, Failure, usage } from "../failure.ts";
import { forget, keep, recall } from "./keychain.ts";

export interface Tokens {
  access_token: string;
  refresh_token: string;
  /** In milliseconds since 1970. */
  expires_at: number;
  scope: string;
}
export interface Place {
  url: string;
  workspace: { id: string; slug: string; name: string };
}
export interface Profile extends Place {
  name: string;
  tokens: Tokens;
}

type Env = NodeJS.ProcessEnv;

export function configDir(env: Env): string {
  if (env.SVC_CONFIG_DIR) return env.SVC_CONFIG_DIR;
  if (process.platform === "win32" && env.APPDATA) return join(env.APPDATA, "svc");
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "svc");
}
const profilesDir = (env: Env) => join(configDir(env), "profiles");
export const profileFile = (env: Env, name: string) => join(profilesDir(env), `${name}.json`);
/** Path of a profile's completion cache. */
export const knownFile = (env: Env, name: string) => join(configDir(env), "completion", `${name}.json`);
const currentFile = (env: Env) => join(configDir(env), "current");

export const isProfileName = (name: string) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name) && !name.includes(".lock");
/** Default name of a profile: the host of its server. */
export const nameFor = (url: string) => new URL(url).host.replace(/[^\w.-]/g, "-");

/** Adds a remedy to an error of writing a file. */
export function unwritable(env: Env, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (!["EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR", "EEXIST", "ENOENT"].includes(code ?? "")) return error;
  return new Failure(
    EXIT.failed,
    `Nothing can be kept in ${configDir(env)} (${code}).`,
    "Make it writable, name another folder in SVC_CONFIG_DIR, or use a token: SVC_TOKEN=svc_pat_...",
  );
}
function writing<T>(env: Env, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unwritable(env, error);
  }
}

/**
 * Creates a folder and its parents. Node's recursive mkdir never returns if an existing folder refuses entries, such as
 * /proc or an automounted one.
 */
export function makeFolder(path: string): void {
  const isFolder = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder()) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder()) throw error;
  }
}

export function replaceFile(path: string, text: string): void {
  const next = `${path}.${process.pid}.new`;
  writeFileSync(next, text, { mode: 0o600 });
  for (let attempt = 1; ; attempt++)
    try {
      renameSync(next, path);
      return;
    } catch (error) {
      // Windows cannot replace a file that a process is reading.
      if (process.platform !== "win32" || attempt === 50) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
}
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw new Failure(EXIT.failed, `${path} cannot be read: ${(error as Error).message}`);
  }
}

export const makeDirs = (env: Env) => writing(env, () => makeFolder(profilesDir(env)));

export function profileNames(env: Env): string[] {
  try {
    return readdirSync(profilesDir(env))
      .flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -5)] : []))
      .sort();
  } catch {
    return [];
  }
}

/** Undefined: no profile has this name. */
export function readProfile(env: Env, name: string): Profile | undefined {
  const text = read(profileFile(env, name));
  if (text === undefined) return undefined;
  const damaged = () =>
    new Failure(EXIT.signIn, `The profile ${name} cannot be read.`, `Sign in again: svc login --profile ${name}`);
  let kept: Place & { tokens?: Tokens };
  try {
    kept = JSON.parse(text);
  } catch {
    throw damaged();
  }
  const tokens = kept.tokens ?? (recall(env, name) as Tokens | undefined);
  if (!tokens) throw damaged();
  return { name, url: kept.url, workspace: kept.workspace, tokens };
}
/** The profile without its tokens, so that the keychain is not read. */
export function readPlace(env: Env, name: string): Place | undefined {
  try {
    return JSON.parse(read(profileFile(env, name)) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeProfile(env: Env, { name, url, workspace, tokens }: Profile): "keychain" | "file" {
  makeDirs(env);
  const inKeychain = env.SVC_KEYCHAIN !== "off" && keep(env, name, tokens);
  writing(env, () =>
    replaceFile(profileFile(env, name), JSON.stringify({ url, workspace, ...(!inKeychain && { tokens }) }, null, 2)),
  );
  return inKeychain ? "keychain" : "file";
}

export function removeProfile(env: Env, name: string): void {
  const kept = read(profileFile(env, name));
  if (kept === undefined) return;
  if (!kept.includes('"tokens"')) forget(env, name);
  for (const file of [profileFile(env, name), knownFile(env, name), `${knownFile(env, name)}.asked`])
    writing(env, () => rmSync(file, { force: true }));
  if (currentProfile(env) === name) writing(env, () => rmSync(currentFile(env), { force: true }));
}

export const currentProfile = (env: Env) => read(currentFile(env))?.trim() || undefined;
export const useProfile = (env: Env, name: string) => writing(env, () => replaceFile(currentFile(env), `${name}\n`));

/** The profile that was requested, that of the environment, or the current one. */
export function chosenProfile(env: Env, asked: string | undefined): string | undefined {
  const named = asked ?? (env.SVC_PROFILE || undefined);
  if (named !== undefined) {
    if (!isProfileName(named)) throw usage(`${named} is no name of a profile: letters, digits, dots and hyphens.`);
    return named;
  }
  const names = profileNames(env);
  if (env.SVC_URL) {
    const url = addressOf(env.SVC_URL);
    const at = names.filter((name) => readPlace(env, name)?.url === url);
    const current = currentProfile(env);
    return at.find((name) => name === current) ?? at[0] ?? nameFor(url);
  }
  return currentProfile(env) ?? (names.length === 1 ? names[0] : undefined);
}

/** Normalises an address: without a scheme it is https, on this machine http. */
export function addressOf(typed: string): string {
  const local = /^(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(typed);
  const whole = /^https?:\/\/|:\/\/|\s/.test(typed) ? typed : `${local ? "http" : "https"}://${typed}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw usage(`${typed} is no address of a service.`, "Write it so: svc login https://svc.example.com");
  return url.origin + url.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
}
