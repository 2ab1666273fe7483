// A small file of secrets that is created once. Never overwrites an existing file.
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";

/** Null if there is no such file. */
export function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Reads the file, or creates it if there is none. It is written whole, flushed, then linked: a crash leaves no partial
 * file, and if two processes start at once, one wins.
 */
export function keptFile(path: string, make: () => string): string {
  const present = readIfPresent(path);
  if (present !== null) return present;
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, "w", 0o600);
  writeSync(file, make());
  fsyncSync(file);
  closeSync(file);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, "utf8");
}
