// Runs an operator's command with a connection to DATABASE_URL, or to the embedded database of DATA_DIR, which it
// starts if the service is not running. Exits with 1 if the command returns an error, else with 0.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { connectClient } from "../server/src/platform/database/connections/client.ts";
import { ownerSession } from "../server/src/platform/database/connections/session.ts";
import { runningEmbedded, startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { MAY_NOT } from "../server/src/platform/database/start/migrations.ts";
import { requirePostgres15 } from "../server/src/platform/database/start/require-postgres.ts";
import { type Config, readConfig } from "../server/src/platform/settings/config.ts";
import { ConfigError } from "../server/src/platform/settings/config-error.ts";

type Work = (client: pg.Client, config: Config, url: string) => Promise<string | null>;

export async function onDatabase(work: Work): Promise<void> {
  const fault = await connected(work).catch((error) => {
    if (error instanceof ConfigError) return error.lines.join("\n");
    if (error.code === MAY_NOT) return `DATABASE_URL: ${error.message}; use the address that the service has`;
    throw error;
  });
  if (fault !== null) console.error(fault);
  process.exit(fault === null ? 0 : 1);
}

async function connected(work: Work): Promise<string | null> {
  const dataDir = process.env.DATA_DIR?.trim() || "data";
  if (!process.env.DATABASE_URL?.trim() && !existsSync(join(dataDir, "postgres")))
    return `DATA_DIR: ${dataDir} has no database; set DATA_DIR or DATABASE_URL as the service has it`;
  const config = readConfig(process.env);
  if (config.databaseUrl !== null) await requirePostgres15(config.databaseUrl);
  const known = config.databaseUrl ?? runningEmbedded(config.dataDir);
  const embedded = known === null ? await startEmbedded(config.dataDir) : null;
  const url = (known ?? embedded?.url) as string;
  try {
    const client = await connectClient(url, ownerSession("svc-command"));
    return await work(client, config, url).finally(() => client.end());
  } finally {
    await embedded?.stop();
  }
}
