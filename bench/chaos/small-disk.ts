// Mounts a small in-memory file system for the duration of a task.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Null if this user may not mount one. */
export async function onSmallDisk<T>(megabytes: number, work: (path: string) => Promise<T>): Promise<T | null> {
  const path = mkdtempSync(join(tmpdir(), "svc-small-disk-"));
  const run = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: "ignore" }).status === 0;
  try {
    // Needs the machine's root: started by root, PostgreSQL runs as another user, who does not exist in a user
    // namespace.
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
