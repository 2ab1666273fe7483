// The keys that sign cursors and encrypt what must be read back. The first key is used for new values, the
// others only for old ones, so that keys rotate. Without SECRET_KEYS one key is made once and kept in DATA_DIR.
// Refuses a key of any other length, and never overwrites a file that exists.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { makeDirectory } from "./directory.ts";
import { keptFile } from "./kept-file.ts";

export type SecretKey = { id: string; key: Buffer };

const keyBytes = 32;
const recipe = `node -p "'k1:'+crypto.randomBytes(${keyBytes}).toString('base64url')"`;

export function parseSecretKeys(text: string): SecretKey[] {
  const keys = text.split(",").map((part, index) => {
    const [, id, encoded] = /^\s*([\w-]{1,32}):([\w-]+)=*\s*$/.exec(part) ?? [];
    const key = Buffer.from(encoded ?? "", "base64url");
    if (id === undefined || key.length !== keyBytes)
      throw new Error(`entry ${index + 1} is not id:key with ${keyBytes} bytes as base64url; make one with: ${recipe}`);
    return { id, key };
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length)
    throw new Error("an id appears twice; give each key its own");
  return keys;
}

export function loadSecretKeys(dataDir: string): SecretKey[] {
  const path = join(dataDir, "keys");
  makeDirectory(dataDir, 0o711);
  return parseFile(
    path,
    keptFile(path, () => `k1:${randomBytes(keyBytes).toString("base64url")}\n`),
  );
}

function parseFile(path: string, text: string): SecretKey[] {
  try {
    return parseSecretKeys(text.trim());
  } catch (error) {
    throw new Error(`holds a damaged key file ${path}: ${(error as Error).message}; restore it from a backup`);
  }
}
