// Once per test run: one embedded PostgreSQL in a temporary directory, and in it one migrated template database that
// testDatabase() clones, and the pages, where their sources have changed. Runs before the workers start, so that only one process ever
// builds them.
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { buildServer } from "../../scripts/build-server.mjs";
import { buildWeb } from "../../scripts/build-web.mjs";
import { compiled } from "../../scripts/compiled.mjs";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate, shipped } from "../src/database/migrate.ts";
import { ownerUrl } from "./database.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgres: { url: string; template: string };
  }
}

const PAGES = join(import.meta.dirname, "../../web/dist/index.html");
const PREFIX = "svc-test-cluster-";
const MEMORY = "/dev/shm";
const ENOUGH = 3 * 1024 ** 3;
const HOUR_MS = 3_600_000;
/** Nothing is recovered from the log of this cluster, so that little is written there: for explain.slow.test.ts it took 66 s of a core in place of 72, once each. */
const LITTLE_LOG = { wal_level: "minimal", max_wal_senders: "0", wal_compression: "off" };
/** All files share it. Indexes that are made by several processes take more of them together: the rows of explain.slow.test.ts took 39 s in place of 42, once each. */
const FOR_ALL = {
  ...{ shared_buffers: "512MB", max_parallel_maintenance_workers: "0" },
  // Each analysis of a table by autovacuum also discards the plans on it, in every database of the run.
  autovacuum_naptime: "60s",
};
/**
 * In memory, where there is enough of it: ext4 looks at every file that was deleted within the last seconds before it makes one, which made
 * a clone of the template take 0.25 s of a core in place of 0.02. What a killed run left there is removed.
 */
function room(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  for (const left of readdirSync(MEMORY).filter((name) => name.startsWith(PREFIX))) {
    const path = join(MEMORY, left);
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    const isRunning = existsSync(join(path, "data", "postgres", "postmaster.pid"));
    if (!isRunning && Date.now() - since > HOUR_MS) rmSync(path, { recursive: true, force: true });
  }
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ENOUGH ? MEMORY : tmpdir();
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // `npm run check` needs no pages, and `npm test -- --changed` often no new ones; a test that starts a process builds the service itself.
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
  const directory = mkdtempSync(join(room(), PREFIX));
  chmodSync(directory, 0o711);
  const embedded = await startEmbedded(join(directory, "data"), {
    durable: false,
    settings: { ...LITTLE_LOG, ...FOR_ALL },
  });
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

/** A foreign cluster has it from the run before. */
const ROLE_EXISTS = "42710";

async function buildTemplate(url: string): Promise<string> {
  const { files } = await shipped();
  const hash = createHash("sha256").update(files.map((file) => `${file.name} ${file.hash}`).join("\n"));
  const template = `template_${hash.digest("hex").slice(0, 16)}`;
  const client = new pg.Client(url);
  await client.connect();
  try {
    // A service owns its database and may do nothing else, as docs/operate.md asks for: row-level security applies to it.
    for (const role of ["svc_app", "svc_owner LOGIN"])
      await client.query(`CREATE ROLE ${role}`).catch((error) => {
        if (error.code !== ROLE_EXISTS) throw error;
      });
    await client.query("GRANT svc_app TO svc_owner WITH ADMIN OPTION");
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [template]);
    if (rowCount) await client.query(`ALTER DATABASE ${template} IS_TEMPLATE false`);
    await client.query(`DROP DATABASE IF EXISTS ${template}`);
    await client.query(`CREATE DATABASE ${template} OWNER svc_owner`);
    await migrate(ownerUrl(databaseUrl(url, template)));
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
