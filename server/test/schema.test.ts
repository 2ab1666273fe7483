// docs/schema.md and server/schema.sql describe the schema that the migrations create. Every table and function has a
// comment.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { schemaFiles } from "../../scripts/schema.ts";
import { readCatalogue } from "../../scripts/schema-catalogue.ts";
import { testDatabase } from "./database.ts";

const root = join(import.meta.dirname, "../..");

async function onMigrated<T>(read: (client: pg.Client) => Promise<T>): Promise<T> {
  const database = await testDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    return await read(client);
  } finally {
    await client.end();
    await database.drop();
  }
}

/** Other versions of PostgreSQL print the same definitions in other words. */
test.skipIf(process.env.TEST_DATABASE_URL)("the documents of the schema are up to date (npm run schema)", async () => {
  const stale = [...(await onMigrated(schemaFiles))].filter(
    ([path, text]) => readFileSync(join(root, path), "utf8") !== text,
  );
  expect(stale.map(([path]) => path)).toEqual([]);
});

test("every table and function has a comment that says what it is for (comment on, in a migration)", async () => {
  const { tables, routines } = await onMigrated(readCatalogue);
  const uncommented = [
    ...tables.filter(({ purpose }) => !purpose?.trim()).map(({ name }) => `table ${name}`),
    ...routines.filter(({ purpose }) => !purpose?.trim()).map(({ signature }) => `function ${signature}`),
  ];
  expect([tables.length > 100, routines.length > 100, uncommented]).toEqual([true, true, []]);
});
