// Creates a migrated database for one bench, in a new embedded PostgreSQL that ends with the bench.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";

export interface OwnDatabase {
  directory: string;
  url: string;
  client: pg.Client;
}

export async function withOwnDatabase(work: (database: OwnDatabase) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const database = await startEmbedded(directory);
  const client = new pg.Client(database.url);
  client.on("error", () => {});
  try {
    await migrate(database.url);
    await client.connect();
    await work({ directory, url: database.url, client });
  } finally {
    await client.end();
    await database.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
