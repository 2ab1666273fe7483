// Shared code of the commands backup and restore: the key file, a check of the storage, and the removal of files that a
// killed command left behind.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAlive } from "../../platform/database/embedded/locks.ts";
import type { Storage } from "../../platform/outside/external-systems.ts";
import { ConfigError } from "../../platform/settings/config-error.ts";
import { refused } from "./seal.ts";

const RECIPE = `node -p "crypto.randomBytes(32).toString('base64url')" > FILE`;

/** 32 bytes as base64url; null if no file is named. */
export function readKeyFile(path: string | null): Buffer | null {
  if (path === null) return null;
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    throw refused(path, `cannot be read (${(error as NodeJS.ErrnoException).code}); name the file of the backup's key`);
  }
  const key = Buffer.from(text, "base64url");
  if (!/^[\w-]{43}=?$/.test(text) || key.length !== 32)
    throw refused(path, `does not hold a key of 32 bytes as base64url; make one with: ${RECIPE}`);
  return key;
}

/** Checks before any work that objects can be read, with an object that most storages have. */
export async function requireStorage(storage: Pick<Storage, "open">): Promise<void> {
  try {
    await (await storage.open("audit/head"))?.close();
  } catch (error) {
    const [cause = ""] = (error as Error).message.split("\n");
    throw new ConfigError([
      `The object storage cannot be read: ${cause.slice(0, 200)}; check STORAGE_URL, or the rights in DATA_DIR`,
    ]);
  }
}

/** Removes drafts and scratch databases of processes that have ended. */
export function sweepBeside(path: string): void {
  const directory = dirname(path);
  if (!existsSync(directory)) return;
  const left = new RegExp(`^${basename(path).replaceAll(/[^\w-]/g, "\\$&")}\\.(?:part|verify)\\.(\\d+)$`);
  for (const name of readdirSync(directory)) {
    const pid = Number(left.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(join(directory, name), { recursive: true, force: true, maxRetries: 5 });
  }
}
