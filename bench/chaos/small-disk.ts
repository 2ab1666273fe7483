// A small file system in memory, for as long as a piece of work takes.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Null where this user may not mount one. */
export async function onSmallDisk<T>(megabytes: number, work: (path: string) => Promise<T>): Promise<T | null> {
  const path = mkdtempSync(join(tmpdir(), "svc-small-disk-"));
  const run = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: "ignore" }).status === 0;
  try {
    // As root of the machine alone: the PostgreSQL of root runs as another user, whom a namespace of one's own does not have.
    if (!run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=711`, "svc-chaos", path)) return null;
    try {
      return await work(path);
    } finally {
      run("umount", "-l", path);
    }
  } finally {
    rmdirSync(path);
  }
}
