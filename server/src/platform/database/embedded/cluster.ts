// Creates the embedded PostgreSQL's cluster: UTF-8, checksums on, the same sort order and case rules on every system. A
// cluster that listens on a port accepts only 127.0.0.1 with the password stored in it. Refuses a cluster of another
// major version; never upgrades or overwrites one.
import { randomBytes } from "node:crypto";
import { chownSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ConfigError } from "../../settings/config-error.ts";
import { privateDirectory, renameDurably } from "../../settings/directory.ts";
import { readIfPresent } from "../../settings/kept-file.ts";
import type { Binaries } from "./binaries.ts";
import { isAlive } from "./locks.ts";
import { type ProcessRunner, reason, run } from "./process.ts";

const majorVersion = "18";
export const superuser = "svc";

export function isInitialised(cluster: string): boolean {
  try {
    const version = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
    if (version === majorVersion) return true;
    throw new ConfigError([
      `DATA_DIR: ${cluster} was made by PostgreSQL ${version} and this release brings ${majorVersion}; ` +
        `move it away, or serve it with PostgreSQL ${version} and set DATABASE_URL`,
    ]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

const passwordFile = (cluster: string) => join(cluster, "svc-password");

/** Null if the cluster listens on a socket. */
export const passwordOf = (cluster: string): string | null => readIfPresent(passwordFile(cluster))?.trim() ?? null;

type Making = { durable: boolean; withPassword: boolean };

// Creates the cluster under a temporary name and renames it when complete, so that a kill in between leaves no
// incomplete cluster.
export async function initialise(
  cluster: string,
  binaries: Binaries,
  runner: ProcessRunner,
  making: Making,
): Promise<void> {
  const parent = join(cluster, "..");
  const draft = `${cluster}.new.${process.pid}`;
  const drafts = new RegExp(`^${basename(cluster)}\\.new\\.(\\d+)(?:\\.password)?$`);
  for (const entry of readdirSync(parent)) {
    const pid = Number(drafts.exec(entry)?.[1]);
    if (pid === process.pid || (pid > 0 && !isAlive(pid)))
      rmSync(join(parent, entry), { recursive: true, force: true, maxRetries: 5 });
  }
  privateDirectory(draft, runner.ids);
  const password = making.withPassword ? makePassword(`${draft}.password`, runner) : null;
  const flags = [
    ...["--pgdata", draft, "--username", superuser, "--encoding=UTF8", "--data-checksums"],
    ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
    ...(password === null
      ? ["--auth-local=trust", "--auth-host=reject"]
      : ["--auth-local=reject", "--auth-host=scram-sha-256", "--pwfile", password]),
    ...["--no-instructions", ...(making.durable ? [] : ["--no-sync"])],
  ];
  // Word boundaries of full-text search follow LC_CTYPE; not every system has C.UTF-8.
  for (const ctype of ["C.UTF-8", "C"]) {
    const initdb = run(runner, [binaries.initdb, ...flags, `--lc-ctype=${ctype}`]);
    await initdb.exited;
    if (initdb.succeeded()) break;
    if (ctype === "C") throw new ConfigError([`DATA_DIR: initdb failed in ${parent}: ${reason(initdb.log())}`]);
  }
  if (password !== null) {
    const onlyHere = `host all ${superuser} 127.0.0.1/32 scram-sha-256\n`;
    writeFileSync(join(draft, "pg_hba.conf"), onlyHere, { flush: true });
    await renameDurably(password, passwordFile(draft));
  }
  try {
    await renameDurably(draft, cluster);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!isInitialised(cluster)) throw error;
  }
}

/** Creates the password file, readable only by the user who runs PostgreSQL. */
function makePassword(path: string, { ids }: ProcessRunner): string {
  writeFileSync(path, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
  if (ids) chownSync(path, ids.uid, ids.gid);
  return path;
}
