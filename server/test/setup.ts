// Once per test run: one embedded PostgreSQL in a temporary directory, and in it one migrated template database that
// testDatabase() clones, and the pages, where their sources have changed. Runs before the workers start, so that only one process ever
// builds them.
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { buildWeb } from "../../scripts/build-web.mjs";
import { startEmbedded } from "../src/kernel/embedded.ts";
import { migrate, migrationFiles } from "../src/kernel/migrate.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgres: { url: string; template: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildWeb();
  const directory = mkdtempSync(join(tmpdir(), "svc-test-"));
  chmodSync(directory, 0o711);
  const embedded = await startEmbedded(join(directory, "data"), { durable: false });
  try {
    project.provide("postgres", { url: embedded.url, template: await buildTemplate(embedded.url) });
  } catch (error) {
    await teardown();
    throw error;
  }
  async function teardown() {
    await embedded.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  return teardown;
}

async function buildTemplate(url: string): Promise<string> {
  const files = await migrationFiles();
  const hash = createHash("sha256").update(files.map((file) => `${file.name} ${file.hash}`).join("\n"));
  const template = `template_${hash.digest("hex").slice(0, 16)}`;
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${template}`);
    await migrate(databaseUrl(url, template));
    // A template that nobody, not even autovacuum, can connect to can always be cloned.
    await client.query(`ALTER DATABASE ${template} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`);
  } finally {
    await client.end();
  }
  return template;
}

function databaseUrl(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
