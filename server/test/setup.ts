// Once per test run: one embedded PostgreSQL in a temporary directory, and in it one migrated template database that
// testDatabase() clones, and the pages, where their sources have changed. Runs before the workers start, so that only
// one process ever builds them.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildServer } from "../../scripts/build-server.mjs";
import { buildWeb } from "../../scripts/build-web.mjs";
import { compiled } from "../../scripts/compiled.mjs";
import { shipped } from "../src/platform/database/start/migrations.ts";
import { clusterDirectory, createMigrated, startCluster } from "./cluster.ts";
import { run } from "./database.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgres: { url: string; template: string };
  }
}

const PAGES = join(import.meta.dirname, "../../web/dist/index.html");

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // `npm run check` needs no pages, and `npm test -- --changed` often no new ones; a test that starts a process builds
  // the service itself.
  if (!process.env.SVC_OPERATION && !(process.env.SVC_UNBUILT && existsSync(PAGES))) {
    buildWeb();
    buildServer();
  }
  // The workers inherit it, and what they start.
  Object.assign(process.env, compiled());
  // A PostgreSQL of someone else, with its own defaults; the user must be a superuser.
  const foreign = process.env.TEST_DATABASE_URL;
  if (foreign) {
    project.provide("postgres", { url: foreign, template: await buildTemplate(foreign) });
    return async () => {};
  }
  const { url, remove } = await startCluster(clusterDirectory());
  try {
    project.provide("postgres", { url, template: await buildTemplate(url) });
  } catch (error) {
    await remove();
    throw error;
  }
  return remove;
}

async function buildTemplate(url: string): Promise<string> {
  const { files } = await shipped();
  const hash = createHash("sha256").update(files.map((file) => `${file.name} ${file.hash}`).join("\n"));
  const template = `template_${hash.digest("hex").slice(0, 16)}`;
  await createMigrated(url, template, async (client) => {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [template]);
    if (rowCount) await client.query(`ALTER DATABASE ${template} IS_TEMPLATE false`);
    await client.query(`DROP DATABASE IF EXISTS ${template}`);
  });
  // A template that nobody, not even autovacuum, can connect to can always be cloned.
  await run(url, `ALTER DATABASE ${template} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`);
  return template;
}
