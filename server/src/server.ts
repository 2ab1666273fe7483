// Puts the service together: database, kernel, operations, host. Start-up is recovery: nothing depends on a clean shutdown.
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { constraints } from "./constraints.ts";
import { admission } from "./kernel/admission.ts";
import { type Config, listeningOn } from "./kernel/config.ts";
import { cursorSigner } from "./kernel/cursor.ts";
import { type Database, openDatabase } from "./kernel/db.ts";
import { createHost } from "./kernel/http.ts";
import type { Implementation } from "./kernel/implement.ts";
import { createLog } from "./kernel/log.ts";
import { createMetrics } from "./kernel/metrics.ts";
import { migrate } from "./kernel/migrate.ts";
import { type Rates, rateLimiter } from "./kernel/rate-limit.ts";
import { secretBox } from "./kernel/secret-box.ts";
import { credentialTouch } from "./kernel/touch.ts";
import { implementations } from "./operations.ts";

const DRAIN_MS = 10_000;

export interface Running {
  url: string;
  database: Database;
  close(): Promise<void>;
}
/** Parts that a test replaces: nothing else of the service knows that it is tested. */
export interface Parts {
  log?: Logger;
  rates?: Rates;
  implementations?: readonly Implementation[];
}

export async function serve(config: Config, databaseUrl: string, parts: Parts = {}): Promise<Running> {
  await migrate(databaseUrl);
  const database = openDatabase(databaseUrl);
  const log = parts.log ?? createLog(config.logLevel);
  if (!config.rateLimits) log.warn("RATE_LIMITS is off");
  const used = credentialTouch(database.writer);
  const host = {
    kernel: {
      database,
      limits: config.rateLimits ? rateLimiter(parts.rates) : null,
      cursors: cursorSigner(config.secretKeys),
      secrets: secretBox(config.secretKeys),
      touch: used.touch,
    },
    implementations: parts.implementations ?? implementations,
    constraints,
    admission: admission(),
    metrics: createMetrics(),
    log,
    secure: config.publicUrl.startsWith("https:"),
    maintenance: () => null,
  };
  const app = createHost(host);
  let draining = false;
  app.get("/healthz", async () => "ok");
  app.get("/readyz", async (_request, reply) => {
    const ready = !draining && (await reachable(database));
    return reply.code(ready ? 200 : 503).send(ready ? "ready" : "not ready");
  });
  try {
    await app.listen({ port: config.port, host: config.host });
  } catch (error) {
    await used.stop();
    await database.end();
    throw error;
  }
  return {
    url: listeningOn(config, (app.server.address() as AddressInfo).port).publicUrl,
    database,
    async close() {
      draining = true;
      app.server.closeIdleConnections();
      const forced = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
      await app.close();
      clearTimeout(forced);
      await used.stop();
      await database.end();
      log.flush();
    },
  };
}

const reachable = (database: Database) =>
  database.reader
    .use((tx) => tx.rows("select 1"))
    .then(
      () => true,
      () => false,
    );
