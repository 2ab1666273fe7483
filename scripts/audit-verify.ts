// npm run audit:verify: holds the audit log against its seals and their head outside of the database. Says the first broken place and ends with 1,
// or with 0 where there is none. Works on DATABASE_URL, or on the embedded database of DATA_DIR, whether the service runs or not.
// --accept takes the database as it is for the new head: for after a backup was put back on purpose.
import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { acceptHead, verifyAudit } from "../server/src/kernel/audit-seals.ts";
import { readConfig } from "../server/src/kernel/config.ts";
import { ConfigError } from "../server/src/kernel/config-error.ts";
import { runningEmbedded, startEmbedded } from "../server/src/kernel/embedded.ts";
import { openStorage } from "../server/src/kernel/storage.ts";

async function main(): Promise<string | null> {
  const dataDir = process.env.DATA_DIR?.trim() || "data";
  if (!process.env.DATABASE_URL?.trim() && !existsSync(join(dataDir, "postgres")))
    return `DATA_DIR: ${dataDir} has no database; set DATA_DIR or DATABASE_URL as the service has it`;
  const config = readConfig(process.env);
  const known = config.databaseUrl ?? runningEmbedded(config.dataDir);
  const embedded = known === null ? await startEmbedded(config.dataDir) : null;
  const client = new pg.Client(known ?? embedded?.url);
  try {
    await client.connect();
    const storage = openStorage(config, () => config.publicUrl);
    if (process.argv.includes("--accept")) await acceptHead(client, storage);
    return await verifyAudit(client, config.secretKeys, storage);
  } finally {
    await client.end();
    await embedded?.stop();
  }
}

const fault = await main().catch((error) => {
  if (error instanceof ConfigError) return error.lines.join("\n");
  throw error;
});
if (fault === null) console.log("The audit log is as it was sealed.");
else console.error(fault);
process.exit(fault === null ? 0 : 1);
