// npm run backup -- FILE: a consistent snapshot of the database and its objects, whether the service runs or not. The
// keys are not included: store them separately. --key-file KEY encrypts it; --verify restores it to a temporary place
// afterwards and compares. Works on DATABASE_URL and STORAGE_URL, or on DATA_DIR.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { openStorage } from "../server/src/platform/outside/storage.ts";
import { makeBackup } from "../server/src/surfaces/backup/backup.ts";
import { readKeyFile, requireStorage, sweepBeside } from "../server/src/surfaces/backup/command.ts";
import { verifyBackup } from "../server/src/surfaces/backup/restore.ts";
import { onDatabase } from "./on-database.ts";

const USAGE = "Say where to: npm run backup -- FILE [--key-file KEY] [--verify]";
// The worker holds the other end of this channel. If it exits, nothing needs this backup any more.
process.on("disconnect", () => process.exit(1));

await onDatabase(async (_client, config, url) => {
  const { values, positionals } = parseArgs({
    options: { "key-file": { type: "string" }, verify: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const [file, ...more] = positionals;
  if (!file || more.length > 0) return USAGE;
  const path = resolve(file);
  const began = performance.now();
  const keyFile = readKeyFile(values["key-file"] ?? null);
  const storage = openStorage(config, () => config.publicUrl);
  await requireStorage(storage);
  sweepBeside(path);
  const made = await makeBackup(path, { url, storage, ...config }, { keyFile, say: console.log });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `${path}: ${made.tables} tables with ${made.rows} rows, ${made.objects} objects, ${made.bytes} bytes of ` +
      `${made.content}, in ${seconds} s${keyFile ? ", encrypted" : ""}.`,
  );
  if (made.missing > 0) console.error(`${made.missing} objects that the database names are not in the storage.`);
  if (!values.verify) return null;
  const scratch = (dataDir: string) => openStorage({ ...config, dataDir, storageUrl: null }, () => config.publicUrl);
  await verifyBackup(path, { keyFile, secretKeys: config.secretKeys }, scratch, console.log);
  return null;
});
