// npm run schema: migrates an empty embedded PostgreSQL and writes server/schema.sql and docs/schema.md from its
// catalogue.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { connectClient } from "../server/src/platform/database/connections/client.ts";
import { ownerSession } from "../server/src/platform/database/connections/session.ts";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { readCatalogue } from "./schema-catalogue.ts";
import { schemaPage, schemaSql } from "./schema-pages.ts";

const root = join(import.meta.dirname, "..");

/** Folders of server/src whose statements write a table. */
function writers(): (table: string) => string[] {
  const source = join(root, "server/src");
  const texts = readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.includes(".test.") && path.includes("/"))
    .map((path) => ({ folder: path.slice(0, path.lastIndexOf("/")), text: readFileSync(join(source, path), "utf8") }));
  return (table) => {
    const writes = new RegExp(`\\b(?:insert into|update|delete from)\\s+(?:only\\s+)?${table}\\b`, "i");
    return [...new Set(texts.filter(({ text }) => writes.test(text)).map(({ folder }) => folder))].sort();
  };
}

/** Generates the schema files from the database of this connection. */
export async function schemaFiles(client: pg.Client): Promise<Map<string, string>> {
  const catalogue = await readCatalogue(client);
  return new Map([
    ["server/schema.sql", schemaSql(catalogue)],
    ["docs/schema.md", schemaPage(catalogue, writers())],
  ]);
}

if (import.meta.main) {
  const directory = mkdtempSync(join(tmpdir(), "svc-schema-"));
  chmodSync(directory, 0o711);
  const embedded = await startEmbedded(join(directory, "data"), { durable: false });
  try {
    await migrate(embedded.url);
    const client = await connectClient(embedded.url, ownerSession("svc-schema"));
    for (const [path, text] of await schemaFiles(client)) writeFileSync(join(root, path), text);
    await client.end();
  } finally {
    await embedded.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
