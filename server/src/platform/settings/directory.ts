// Creates a directory with its missing parents, and renames durably. Node's own recursive mkdir never returns on file
// systems that report "no such entry" for a parent that exists (/proc, measured with Node 24), and a start must never
// hang. Differences of Windows in access, flushing and renaming are handled here.
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, lstatSync, mkdirSync, rmdirSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "./config-error.ts";

const isWindows = process.platform === "win32";

export function makeDirectory(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path), mode);
    mkdirSync(path, { mode });
  }
}

/** Creates DATA_DIR. Other users may traverse it but not list it. */
export function makeDataDirectory(path: string): void {
  const isNew = !existsSync(path);
  makeDirectory(path, 0o711);
  if (isNew && isWindows) closeToOthers(path);
}

// Windows has no modes: a directory inherits access rights from its parent. Restricts this one and its content to the
// user, the administrators and the system. Uses ids, because names depend on the language, and full paths, because
// other shells have a whoami too.
function closeToOthers(path: string): void {
  const run = (program: string, ...args: string[]) =>
    execFileSync(systemProgram(program), args, { encoding: "utf8", stdio: "pipe", windowsHide: true });
  try {
    const user = /S-1-[\d-]+/.exec(run("whoami", "/user", "/fo", "csv", "/nh").split(",").at(-1) ?? "")?.[0];
    const grants = [user, "S-1-5-32-544", "S-1-5-18"].flatMap((id) => ["/grant:r", `*${id}:(OI)(CI)F`]);
    run("icacls", path, "/inheritance:r", ...grants);
  } catch {
    rmdirSync(path);
    throw new ConfigError([
      `DATA_DIR: ${path} cannot be closed to other users; set it to a directory on an NTFS drive, ` +
        "or make the directory yourself",
    ]);
  }
}

/** Path of a program that is part of Windows. */
export const systemProgram = (name: string) => join(process.env.SystemRoot ?? "C:\\Windows", "System32", `${name}.exe`);

// Creates a directory that only its owner may enter. Refuses an existing one that belongs to another user or is open to
// others.
export function privateDirectory(path: string, ids: { uid: number; gid: number } | null): void {
  const self = process.getuid?.();
  const owner = ids?.uid ?? self;
  makeDirectory(path, 0o700);
  if (isWindows) return;
  const found = lstatSync(path);
  if (!found.isDirectory() || (found.uid !== owner && found.uid !== self) || (found.mode & 0o077) !== 0)
    throw new ConfigError([`DATA_DIR: ${path} is not a private directory of user id ${owner}; remove it`]);
  if (ids) chownSync(path, ids.uid, ids.gid);
}

/**
 * A new name is durable only once its directory is flushed. Windows cannot flush a directory, and writes names to its
 * journal by itself.
 */
async function flushDirectory(path: string): Promise<void> {
  if (isWindows) return;
  const directory = await open(path, "r");
  await directory.sync().finally(() => directory.close());
}

const PATIENCE_MS = 5000;
const HELD = new Set(["EPERM", "EACCES", "EBUSY"]);

export async function renameDurably(from: string, to: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await rename(from, to);
      return await flushDirectory(dirname(to));
    } catch (error) {
      // A virus scanner opens new files, and Windows refuses to rename them meanwhile.
      const isHeld = isWindows && HELD.has((error as NodeJS.ErrnoException).code ?? "");
      if (!isHeld || Date.now() > until) throw error;
      await sleep(50);
    }
  }
}
