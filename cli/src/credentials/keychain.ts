// The system's keychain through its own program: `security` on macOS, `secret-tool` elsewhere. Secrets are passed on
// standard input, so that no process list shows them. If the program is missing or fails (locked keychain, no desktop),
// the result is false or undefined.
import { spawnSync } from "node:child_process";

const MAC = process.platform === "darwin";
const PATIENCE_MS = 20_000;

function run(env: NodeJS.ProcessEnv, program: string, args: readonly string[], input = ""): string | undefined {
  const { status, stdout, error } = spawnSync(program, args, {
    env,
    input,
    encoding: "utf8",
    timeout: PATIENCE_MS,
    stdio: ["pipe", "pipe", "ignore"],
  });
  return error || status !== 0 ? undefined : stdout;
}
const named = (profile: string) => ["service", "svc", "profile", profile];
const encoded = (secret: unknown) => Buffer.from(JSON.stringify(secret)).toString("base64");

/** Stores the secret; true if it can be read back. */
export function keep(env: NodeJS.ProcessEnv, profile: string, secret: unknown): boolean {
  if (process.platform === "win32") return false;
  const text = encoded(secret);
  const done = MAC
    ? run(env, "security", ["-i"], `add-generic-password -U -s svc -a ${profile} -w ${text}\n`)
    : run(env, "secret-tool", ["store", `--label=svc ${profile}`, ...named(profile)], text);
  return done !== undefined && (!MAC || encoded(recall(env, profile)) === text);
}

export function recall(env: NodeJS.ProcessEnv, profile: string): unknown {
  if (process.platform === "win32") return undefined;
  const found = MAC
    ? run(env, "security", ["find-generic-password", "-s", "svc", "-a", profile, "-w"])
    : run(env, "secret-tool", ["lookup", ...named(profile)]);
  try {
    return found ? JSON.parse(Buffer.from(found.trim(), "base64").toString()) : undefined;
  } catch {
    return undefined;
  }
}

export function forget(env: NodeJS.ProcessEnv, profile: string): void {
  if (process.platform === "win32") return;
  if (MAC) run(env, "security", ["delete-generic-password", "-s", "svc", "-a", profile]);
  else run(env, "secret-tool", ["clear", ...named(profile)]);
}
