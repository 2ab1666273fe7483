// The keys that sign cursors and encrypt secrets that must be readable again. The first key is for new values, the
// others only for old ones, so that keys can rotate. Without SECRET_KEYS one key is generated once and stored in
// DATA_DIR. Refuses a key of any other length, and never overwrites an existing file.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeDataDirectory } from "./directory.ts";
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

export const keyFile = (dataDir: string) => join(dataDir, "keys");

/**
 * Generates a key if there is neither a key nor an embedded database that needs one. The id is random, so that it is
 * never mistaken for a lost key.
 */
export function loadSecretKeys(dataDir: string): SecretKey[] {
  const path = keyFile(dataDir);
  makeDataDirectory(dataDir);
  const make = () => {
    if (existsSync(join(dataDir, "postgres")))
      throw new Error(
        `has a database and no key file ${path}, which opens what is stored; restore it from your backup`,
      );
    return `k${randomBytes(4).toString("hex")}:${randomBytes(keyBytes).toString("base64url")}\n`;
  };
  return parseFile(path, keptFile(path, make));
}

function parseFile(path: string, text: string): SecretKey[] {
  try {
    return parseSecretKeys(text.trim());
  } catch (error) {
    throw new Error(`holds a damaged key file ${path}: ${(error as Error).message}; restore it from a backup`);
  }
}
