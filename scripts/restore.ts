// npm run restore -- FILE: restores a backup into an empty place: a new DATA_DIR, or the empty database of DATABASE_URL
// and the empty bucket of STORAGE_URL. The keys of the service must exist already, as SECRET_KEYS or DATA_DIR/keys.
// --key-file KEY decrypts the file; --verify only tests the backup in a temporary place.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { runningEmbedded, startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { requirePostgres15 } from "../server/src/platform/database/start/require-postgres.ts";
import { openStorage } from "../server/src/platform/outside/storage.ts";
import { type Config, readConfig } from "../server/src/platform/settings/config.ts";
import { ConfigError } from "../server/src/platform/settings/config-error.ts";
import { keyFile as keysIn } from "../server/src/platform/settings/secret-keys.ts";
import { freeBytes } from "../server/src/surfaces/backup/backup.ts";
import { readKeyFile, requireStorage, sweepBeside } from "../server/src/surfaces/backup/command.ts";
import { checkBackup, restoreBackup, roomFault, verifyBackup } from "../server/src/surfaces/backup/restore.ts";

const { values, positionals } = parseArgs({
  options: { "key-file": { type: "string" }, verify: { type: "boolean", default: false } },
  allowPositionals: true,
});

async function run(): Promise<string | null> {
  const [file, ...more] = positionals;
  if (!file || more.length > 0) return "Say what: npm run restore -- FILE [--key-file KEY] [--verify]";
  const path = resolve(file);
  // Without keys the service would generate new ones, which could not decrypt this backup's secrets.
  const dataDir = resolve(process.env.DATA_DIR?.trim() || "data");
  if (!process.env.SECRET_KEYS?.trim() && !existsSync(keysIn(dataDir)))
    return `${keysIn(dataDir)} does not exist; put the keys there that belong to the backup, or set SECRET_KEYS`;
  const config = readConfig(process.env);
  const keys = { keyFile: readKeyFile(values["key-file"] ?? null), secretKeys: config.secretKeys };
  const storageOf = (one: Config) => openStorage(one, () => config.publicUrl);
  sweepBeside(path);
  if (values.verify) {
    await verifyBackup(path, keys, (dir) => storageOf({ ...config, dataDir: dir, storageUrl: null }), console.log);
    return null;
  }
  console.log("Reading the backup ...");
  const checked = await checkBackup(path, keys);
  const fault = roomFault(checked, config, freeBytes(config.dataDir));
  if (fault) return fault;
  if (config.databaseUrl === null && runningEmbedded(config.dataDir) !== null)
    return `DATA_DIR: a service runs on ${config.dataDir}; stop it, or name a new DATA_DIR`;
  if (config.databaseUrl !== null) await requirePostgres15(config.databaseUrl);
  await requireStorage(storageOf(config));
  const embedded = config.databaseUrl === null ? await startEmbedded(config.dataDir) : null;
  try {
    const url = config.databaseUrl ?? (embedded?.url as string);
    await restoreBackup(path, keys, checked, { url, storage: storageOf(config) }, console.log);
  } finally {
    await embedded?.stop();
  }
  console.log(`Restored what version ${checked.version} had at ${checked.created_at}. Start the service.`);
  if (checked.missing > 0) console.log(`${checked.missing} objects were missing already when the backup was made.`);
  return null;
}

const fault = await run().catch((error) => {
  if (error instanceof ConfigError) return error.lines.join("\n");
  throw error;
});
if (fault !== null) console.error(fault);
process.exit(fault === null ? 0 : 1);
