// Makes the embedded PostgreSQL's cluster: UTF-8, checksums on, sorted and cased alike on every system.
// Refuses a cluster of another major version; it never upgrades one and never overwrites one.
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { ConfigError } from "../settings/config-error.ts";
import { privateDirectory } from "../settings/directory.ts";
import type { Binaries } from "./embedded-binaries.ts";
import { isAlive } from "./embedded-locks.ts";
import { type Runner, reason, run } from "./embedded-process.ts";

const majorVersion = "18";
export const superuser = "svc";

export function isInitialised(cluster: string): boolean {
  try {
    const version = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
    if (version === majorVersion) return true;
    throw new ConfigError([
      `DATA_DIR: ${cluster} was made by PostgreSQL ${version} and this release brings ${majorVersion}; move it away, or serve it with PostgreSQL ${version} and set DATABASE_URL`,
    ]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

// Made under another name and renamed when complete, so that a kill in the middle leaves nothing half-made in place.
export async function initialise(cluster: string, binaries: Binaries, runner: Runner, durable: boolean): Promise<void> {
  const parent = join(cluster, "..");
  const draft = `${cluster}.new.${process.pid}`;
  for (const entry of readdirSync(parent)) {
    const pid = Number(new RegExp(`^${basename(cluster)}\\.new\\.(\\d+)$`).exec(entry)?.[1]);
    if (pid === process.pid || (pid > 0 && !isAlive(pid)))
      rmSync(join(parent, entry), { recursive: true, force: true });
  }
  privateDirectory(draft, runner.ids);
  const flags = [
    ...["--pgdata", draft, "--username", superuser, "--encoding=UTF8", "--data-checksums"],
    ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
    ...["--auth-local=trust", "--auth-host=reject", "--no-instructions", ...(durable ? [] : ["--no-sync"])],
  ];
  // Word boundaries of full-text search follow LC_CTYPE; not every system has C.UTF-8.
  for (const ctype of ["C.UTF-8", "C"]) {
    const initdb = run(runner, [binaries.initdb, ...flags, `--lc-ctype=${ctype}`]);
    await initdb.exited;
    if (initdb.succeeded()) break;
    if (ctype === "C") throw new ConfigError([`DATA_DIR: initdb failed in ${parent}: ${reason(initdb.log())}`]);
  }
  try {
    renameSync(draft, cluster);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!isInitialised(cluster)) throw error;
  }
  const directory = openSync(parent, "r");
  fsyncSync(directory);
  closeSync(directory);
}
