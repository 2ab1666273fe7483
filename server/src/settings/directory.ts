// Makes a directory and its missing parents. Node's own recursive mkdir never returns on file systems that answer
// "no such entry" for a parent that exists (/proc, measured with Node 24), and a start must never hang.
import { chownSync, existsSync, lstatSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError } from "./config-error.ts";

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

// Only its owner may enter. One that is already there, and is somebody else's or open to others, is not trusted.
export function privateDirectory(path: string, ids: { uid: number; gid: number } | null): void {
  const self = process.getuid?.();
  const owner = ids?.uid ?? self;
  makeDirectory(path, 0o700);
  const found = lstatSync(path);
  if (!found.isDirectory() || (found.uid !== owner && found.uid !== self) || (found.mode & 0o077) !== 0)
    throw new ConfigError([`DATA_DIR: ${path} is not a private directory of user id ${owner}; remove it`]);
  if (ids) chownSync(path, ids.uid, ids.gid);
}
