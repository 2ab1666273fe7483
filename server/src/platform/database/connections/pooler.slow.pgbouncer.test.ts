// The service behind a real PgBouncer: with session pooling it has its role and settings on every connection, whatever
// the pooler does with startup parameters and used connections; other kinds of pooling end the start with one line.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownerUrl, type TestDatabase, testDatabase } from "../../../../test/database.ts";
import { eventually } from "../../../../test/eventually.ts";
import { behindPgbouncer } from "../../../../test/pgbouncer.ts";
import { testConfig } from "../../../../test/world.ts";
import { serve } from "../../../server.ts";
import { createLog } from "../../wire/log.ts";
import { checkServer } from "../start/server-check.ts";
import { connectClient } from "./client.ts";
import { ownerSession } from "./session.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-pooled-"));
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

const SHOWN = `select current_user::text as user, row_security_active('tasks') as secured,
  current_setting('statement_timeout') as timeout,
  current_setting('jit') as jit, current_setting('default_transaction_read_only') as reads`;
const WANTED = { user: "svc_app", secured: true, timeout: "5s", jit: "off" };

async function used(url: string): Promise<void> {
  const config = { ...testConfig, dataDir: join(directory, "data"), roles: ["api", "worker", "realtime"] as const };
  const running = await serve({ ...config, roles: [...config.roles] }, url, { log: createLog("silent") });
  try {
    expect(await running.database.reader.use((tx) => tx.rows(SHOWN))).toEqual([{ ...WANTED, reads: "on" }]);
    expect(await running.database.writer.use((tx) => tx.rows(SHOWN))).toEqual([{ ...WANTED, reads: "off" }]);
    const body = { email: `${Date.now()}@example.com`, password: "correct horse battery staple", display_name: "New" };
    const headers = { "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    expect((await fetch(`${running.url}/api/v1/auth/register`, sent)).status).toBe(201);
    await eventually(async () => expect(await (await fetch(`${running.url}/readyz`)).text()).toBe("ready"));
  } finally {
    await running.close();
  }
}

describe("session pooling", () => {
  test.for([
    ["startup parameters are refused", {}],
    ["startup parameters are dropped", { ignore_startup_parameters: "options" }],
    ["used connections are handed out as they were left", { server_reset_query: "" }],
  ] as const)("works where %s, also on connections of a service before", ([, settings]) =>
    behindPgbouncer(ownerUrl(database.url), { pool_mode: "session", ...settings }, async (url) => {
      expect((await checkServer(url, 30)).filter((note) => !/fsync|full_page_writes/.test(note))).toEqual([]);
      await used(url);
      await used(url);
    }),
  );
});

describe.for(["transaction", "statement"])("%s pooling", (mode) => {
  test.for([
    ["hands out the connection used last", "0", 1],
    ["hands out the connection used last of several idle ones", "0", 4],
    ["takes turns", "1", 1],
    ["takes turns of several idle ones", "1", 4],
  ] as const)("ends the start with one line where the pooler %s", ([, turns, idle]) =>
    behindPgbouncer(ownerUrl(database.url), { pool_mode: mode, server_round_robin: turns }, async (url) => {
      const clients = await Promise.all(
        Array.from({ length: idle }, () => connectClient(url, ownerSession("svc-idle"))),
      );
      // Wait: all have a connection of their own at the same time.
      await Promise.all(clients.map((client) => client.query("select pg_sleep(0.2)")));
      await expect(checkServer(url, 30)).rejects.toThrow(/^DATABASE_URL: the pooler [^\n]+pool_mode = session[^\n]+$/);
      await Promise.all(clients.map((client) => client.end()));
    }),
  );

  test("ends the start with one line where the pooler has a single connection", () =>
    behindPgbouncer(ownerUrl(database.url), { pool_mode: mode, default_pool_size: "1" }, (url) =>
      expect(checkServer(url, 30)).rejects.toThrow(/^DATABASE_URL: the pooler [^\n]+pool_mode = session[^\n]+$/),
    ));
});
