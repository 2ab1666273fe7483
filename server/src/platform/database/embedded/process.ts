// Runs the embedded PostgreSQL's programs as a permitted user, and never longer than this process. PostgreSQL refuses
// root, so root runs it as the owner of the data, else as an existing unprivileged user. Never creates users, changes a
// directory it does not own, or grants more than reading of paths.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { parse } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigError } from "../../settings/config-error.ts";
import type { Binaries } from "./binaries.ts";

// `ids` is null if this process is not root and runs PostgreSQL as itself. `supervisor` waits for the program that it
// runs, and ends with it or stops it.
export type ProcessRunner = {
  ids: { uid: number; gid: number } | null;
  prefix: readonly string[];
  env: NodeJS.ProcessEnv;
  supervisor: readonly string[];
};

// The shell holds the read end of a pipe whose write end is ours: when this process ends for any reason, the pipe
// closes and the shell sends PostgreSQL SIGINT (fast shutdown) every second until it ends, because it ignores the
// signal at its very beginning. After eight seconds the shell sends SIGQUIT (immediate shutdown, which loses nothing):
// PostgreSQL 18 never ends if SIGINT arrives while it restarts after the crash of a backend. The shell ends when
// PostgreSQL ends. Without a shell a Node process does the same; it takes 47 MB and 75 ms of a start (measured), the
// shell 1.4 MB.
const script = `
exec 3<&0 </dev/null
"$@" 3<&- &
child=$!
(while read -r line <&3; do :; done
signal=INT left=8
while kill -$signal "$child"; do
  sleep 1
  left=$((left - 1))
  [ $left -gt 0 ] || signal=QUIT
done) 2>/dev/null &
watcher=$!
wait "$child"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`;

export const shell = ["sh", "-c", script, "sh"];
const nodeSupervisor = fileURLToPath(new URL("./supervisor.mjs", import.meta.url));

export type RunningProcess = { log: () => string; exited: Promise<void>; succeeded: () => boolean; stop: () => void };

export function run(runner: ProcessRunner, command: readonly string[]): RunningProcess {
  const [program = "", ...args] = [...runner.prefix, ...runner.supervisor, ...command];
  // Runs in its own session: a Ctrl-C in the terminal reaches only this process, which stops PostgreSQL last. On
  // Windows, the child also survives a kill of this process.
  const child = spawn(program, args, {
    ...options(runner),
    detached: true,
    windowsHide: true,
    stdio: ["pipe", "ignore", "pipe"],
  });
  let log = "";
  let failure: Error | undefined;
  child.stderr?.on("data", (chunk) => {
    log = (log + chunk).slice(-8192);
  });
  child.stdin?.on("error", () => {});
  const exited = new Promise<void>((resolve) => {
    // "close" follows "exit" once the log has been read; it never comes if only the supervisor was killed.
    child.once("exit", () => setTimeout(resolve, 200).unref());
    child.once("close", () => resolve());
    child.once("error", (error) => {
      failure = error;
      resolve();
    });
  });
  return {
    exited,
    log: () => failure?.message ?? log,
    succeeded: () => child.exitCode === 0,
    stop: () => child.stdin?.end(),
  };
}

export const isFull = (log: string) => /No space left on device|Disk quota exceeded/.test(log);

/** Skips messages about the server's state that were sent to clients. */
const CAUSE = /^.*(?:FATAL|PANIC|error): +(?! |the database system is|terminating connection)(.*)$/gm;
export const causeIn = (log: string): string | undefined => {
  const causes = [...log.matchAll(CAUSE)].map(([, cause = ""]) => cause);
  return causes.find(isFull) ?? causes.at(-1);
};
export const reason = (log: string) => causeIn(log) ?? log.trim().split("\n").at(-1) ?? "no reason given";

/** `portable`: Node supervises PostgreSQL instead of sh. */
export function chooseRunner(binaries: Binaries, dataDir: string, cluster: string, portable: boolean): ProcessRunner {
  // This module parses the programs' messages, so they must be English, also on a localised Windows.
  const env = { PATH: process.env.PATH, LC_MESSAGES: "C", ...binaries.env };
  const supervisor = portable ? [process.execPath, nodeSupervisor, binaries.control, cluster] : shell;
  if (process.getuid?.() !== 0) return { ids: null, prefix: [], env, supervisor };
  const ids = ownerOf(cluster) ?? unprivilegedUser();
  const candidates = [[], ...readPathsAs(ids)].map((prefix) => ({ ids, prefix, env, supervisor }));
  const programs = [binaries.postgres, ...(portable ? [process.execPath] : [])];
  const runner = candidates.find((candidate) => canRun(candidate, programs, dataDir));
  if (runner) return runner;
  throw new ConfigError([
    `DATA_DIR: user id ${ids.uid}, under which PostgreSQL runs for root, cannot enter ${dataDir} or run ` +
      `${programs.join(" and ")}; move them out of private directories, install setpriv, or do not start as root`,
  ]);
}

// setpriv changes the user by itself; without it Node does, which also clears the groups.
const options = ({ env, prefix, ids }: ProcessRunner) => ({
  cwd: parse(process.execPath).root,
  env,
  ...(prefix.length > 0 ? {} : ids),
});

function ownerOf(cluster: string): { uid: number; gid: number } | null {
  const { uid, gid } = statSync(cluster, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 };
  return uid === 0 ? null : { uid, gid };
}

function unprivilegedUser(): { uid: number; gid: number } {
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) => Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {}
  }
  throw new ConfigError([
    "DATABASE_URL: PostgreSQL refuses to run as root and there is neither a user postgres nor nobody; " +
      "start as an ordinary user or set DATABASE_URL",
  ]);
}

// An unprivileged user cannot reach a clone or DATA_DIR below /root or another private directory. PostgreSQL then gets
// the one capability that opens paths for reading (dac_override if a container lacks dac_read_search). PostgreSQL
// checks with access(2), which ignores capabilities of a non-root user unless no_setuid_fixup is set.
function readPathsAs({ uid, gid }: { uid: number; gid: number }): string[][] {
  const user = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--securebits=+no_setuid_fixup"];
  const only = (set: string, capability: string) => `--${set}=-all,+${capability}`;
  return heldCapabilities().map((capability) => [
    "setpriv",
    ...user,
    ...["inh-caps", "ambient-caps", "bounding-set"].map((set) => only(set, capability)),
  ]);
}

function heldCapabilities(): string[] {
  if (process.platform !== "linux") return [];
  const mask = BigInt(`0x${/CapEff:\s*([0-9a-f]+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0"}`);
  const bits: [string, bigint][] = [
    ["dac_read_search", 2n],
    ["dac_override", 1n],
  ];
  return bits.filter(([, bit]) => (mask >> bit) & 1n).map(([name]) => name);
}

// PostgreSQL reports a path that it cannot read but still exits 0, so only an empty stderr proves success.
function canRun(runner: ProcessRunner, programs: string[], dataDir: string): boolean {
  const script = 'cd "$1" && shift && for program; do "$program" --version || exit; done';
  const [program = "", ...args] = [...runner.prefix, "sh", "-c", script, "sh", dataDir, ...programs];
  const { status, stderr } = spawnSync(program, args, { ...options(runner), stdio: ["ignore", "ignore", "pipe"] });
  return status === 0 && stderr.length === 0;
}
