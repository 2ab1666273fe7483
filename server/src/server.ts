// Puts the service together: database, kernel, operations, host. Start-up is recovery: nothing depends on a clean shutdown.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { constraints } from "./constraints.ts";
import { admission } from "./kernel/admission.ts";
import { type Config, listeningOn } from "./kernel/config.ts";
import { cursorSigner } from "./kernel/cursor.ts";
import { type Database, openDatabase } from "./kernel/db.ts";
import { createHost } from "./kernel/http.ts";
import type { Implementation } from "./kernel/implement.ts";
import { startWorker } from "./kernel/jobs.ts";
import { createLog, type Log } from "./kernel/log.ts";
import { createMetrics, type Metrics } from "./kernel/metrics.ts";
import { migrate } from "./kernel/migrate.ts";
import { rateLimiter } from "./kernel/rate-limit.ts";
import { secretBox } from "./kernel/secret-box.ts";
import { credentialTouch } from "./kernel/touch.ts";
import { implementations } from "./operations.ts";
import { serveReference } from "./reference/reference.ts";

const DRAIN_MS = 10_000;

export interface Running {
  url: string;
  database: Database;
  close(): Promise<void>;
}
/** Parts that a test replaces: nothing else of the service knows that it is tested. */
export interface Parts {
  log?: Log;
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
      limits: config.rateLimits ? rateLimiter(config.rateLimits) : null,
      cursors: cursorSigner(config.secretKeys),
      secrets: secretBox(config.secretKeys),
      touch: used.touch,
    },
    implementations: config.roles.includes("api") ? (parts.implementations ?? implementations) : [],
    constraints,
    admission: admission(),
    metrics: createMetrics(),
    log,
    secure: config.publicUrl.startsWith("https:"),
    maintenance: () => maintenance(config),
  };
  const app = createHost(host);
  const origin = () => listeningOn(config, (app.server.address() as AddressInfo).port).publicUrl;
  serveReference(app, { secure: host.secure, origin });
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
  const worker = config.roles.includes("worker") ? await startWorker(databaseUrl, {}, log) : null;
  const metricsServer = await serveMetrics(host.metrics, config);
  return {
    url: origin(),
    database,
    async close() {
      draining = true;
      app.server.closeIdleConnections();
      const forced = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
      await app.close();
      clearTimeout(forced);
      metricsServer?.close();
      await worker?.stop();
      await used.stop();
      await database.end();
      log.flush();
    },
  };
}

/** How long the maintenance lasts: until the time that MAINTENANCE names, or a minute at a time. */
function maintenance({ maintenance: until }: Config): { retryAfter: number } | null {
  if (until === null) return null;
  const left = until === "on" ? 60 : Math.ceil((until.getTime() - Date.now()) / 1000);
  return left > 0 ? { retryAfter: left } : null;
}

/** On a port of its own, so that no proxy publishes it by accident. */
async function serveMetrics(metrics: Metrics, { metricsPort, host }: Config) {
  if (metricsPort === null) return null;
  const server = createServer(async (_request, response) => {
    response.writeHead(200, { "content-type": metrics.contentType }).end(await metrics.text());
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(metricsPort, host, resolve));
  return server;
}

const reachable = (database: Database) =>
  database.reader
    .use((tx) => tx.rows("select 1"))
    .then(
      () => true,
      () => false,
    );
