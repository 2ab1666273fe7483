// docs/schema.md and server/schema.sql describe the schema that the migrations create.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { schemaFiles } from "../../scripts/schema.ts";
import { testDatabase } from "./database.ts";

const root = join(import.meta.dirname, "../..");

/** Other versions of PostgreSQL print the same definitions in other words. */
test.skipIf(process.env.TEST_DATABASE_URL)("the documents of the schema are up to date (npm run schema)", async () => {
  const database = await testDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    const stale = [...(await schemaFiles(client))].filter(
      ([path, text]) => readFileSync(join(root, path), "utf8") !== text,
    );
    expect(stale.map(([path]) => path)).toEqual([]);
  } finally {
    await client.end();
    await database.drop();
  }
});
