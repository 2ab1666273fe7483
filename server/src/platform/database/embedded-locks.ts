// Who uses a data directory. PostgreSQL leaves lock files behind when it is killed and then believes any live
// process that has taken over the number in them; here only a PostgreSQL working in that directory counts.
// Refuses to touch a lock whose owner lives.
import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemProgram } from "../settings/directory.ts";
import { isFull } from "./embedded-process.ts";

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

// A lock younger than a second may still be in the making. Backends that outlive a killed PostgreSQL are found
// by its successor through their shared memory, not through this file.
export function removeStaleLock(lock: string, cluster: string): void {
  const written = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  if (ownerOfLock(lock, cluster) === null && Date.now() - written > 1000) rmSync(lock, { force: true });
}

/** Whether PostgreSQL ended because another one uses its directory, and not because there was no room for its own lock file. */
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

// Windows gives numbers away again soon. Where it cannot be asked, the number is believed.
function isPostgres(pid: number): boolean {
  const { status, stdout } = spawnSync(systemProgram("tasklist"), ["/fi", `pid eq ${pid}`, "/fo", "csv", "/nh"], {
    encoding: "utf8",
    windowsHide: true,
  });
  return status !== 0 || /^"postgres\.exe"/im.test(stdout);
}
