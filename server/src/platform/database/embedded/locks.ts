// Detects which process uses a data directory. A killed PostgreSQL leaves lock files behind, and its successor trusts
// any live process that has reused the process id in them; here only a PostgreSQL that works in that directory counts.
// Never removes a lock whose owner lives.
import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemProgram } from "../../settings/directory.ts";
import { isFull } from "./process.ts";

export const postmasterLock = (cluster: string) => join(cluster, "postmaster.pid");

export function ownerOfLock(lock: string, cluster: string): number | null {
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(lock, "utf8"), 10);
  } catch {
    return null;
  }
  return pid > 0 && worksIn(pid, cluster) ? pid : null;
}

// A lock younger than a second may still be in creation. The successor of a killed PostgreSQL detects surviving
// backends through their shared memory, not through this file.
export function removeStaleLock(lock: string, cluster: string): void {
  const written = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  if (ownerOfLock(lock, cluster) === null && Date.now() - written > 1000) rmSync(lock, { force: true });
}

/**
 * Whether PostgreSQL ended because another one uses its directory, as opposed to a full disk that left no room for its
 * lock file.
 */
export const isTaken = (log: string) => /lock file|shared memory block/.test(log) && !isFull(log);

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function worksIn(pid: number, cluster: string): boolean {
  if (process.platform === "win32") return isAlive(pid) && isPostgres(pid);
  if (process.platform !== "linux") return isAlive(pid);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === join(realpathSync(dirname(cluster)), basename(cluster));
  } catch {
    return false;
  }
}

// Windows reuses process ids soon. If tasklist fails, the id counts as PostgreSQL's.
function isPostgres(pid: number): boolean {
  const { status, stdout } = spawnSync(systemProgram("tasklist"), ["/fi", `pid eq ${pid}`, "/fo", "csv", "/nh"], {
    encoding: "utf8",
    windowsHide: true,
  });
  return status !== 0 || /^"postgres\.exe"/im.test(stdout);
}
