// Assembles the service: database, kernel, operations, host. Start-up is recovery: nothing depends on a clean shutdown.
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { breachRange } from "./accounts/identity/passwords/breach-range.ts";
import { serveMetadata } from "./accounts/oauth/metadata.ts";
import { openAgents } from "./assistant/agents/execution/runner.ts";
import { openDiscuss } from "./assistant/discuss/answers/runner.ts";
import { deliver } from "./assistant/discuss/specialists/specialists.ts";
import { openTalks, type TalkPace } from "./assistant/discuss/voice-talks.ts";
import { serveMcp } from "./assistant/mcp/mcp.ts";
import type { McpServerFactory } from "./assistant/mcp/protocol.ts";
import { tellPlans } from "./connect/billing/plans.ts";
import { callingAs } from "./connect/integrations/receive/delivery-actor.ts";
import { openDeliveries } from "./connect/integrations/receive/delivery-worker.ts";
import { openWebhooks } from "./connect/webhooks/runner.ts";
import { constraints } from "./constraints.ts";
import { background } from "./domain-jobs.ts";
import { serveHealth, serveMetrics } from "./health.ts";
import { isOfAccount } from "./history/feed/audience.ts";
import { openCollaboration } from "./knowledge/collaboration/collaboration.ts";
import type { EditingPace } from "./knowledge/collaboration/live/open-texts.ts";
import { COLLABORATION_PATH } from "./knowledge/collaboration/rules.ts";
import { MOST_FRAME } from "./knowledge/collaboration/socket/editor-socket.ts";
import { implementations, offered } from "./operations.ts";
import { uploadsOf } from "./planning/attachments/uploads.ts";
import { openTriggers } from "./platform/background/commit-triggers.ts";
import { gather, startWorker, type Worker } from "./platform/background/jobs.ts";
import { attemptLimits } from "./platform/database/attempt-limits.ts";
import type { ProbeIntervals } from "./platform/database/connections/write-health.ts";
import { type Database, openProvedDatabase } from "./platform/database/db.ts";
import { heldBack } from "./platform/database/journal.ts";
import { credentialTouch } from "./platform/database/last-used.ts";
import { counterIn, numbers } from "./platform/database/numbers.ts";
import { checkKeys } from "./platform/database/start/key-check.ts";
import { migrate } from "./platform/database/start/migrations.ts";
import { patiently } from "./platform/database/start/start-wait.ts";
import { createHost, type Host } from "./platform/kernel/http.ts";
import type { Implementation } from "./platform/kernel/implement-operation.ts";
import { clamd } from "./platform/outside/clamd.ts";
import { egress, egressTo } from "./platform/outside/egress.ts";
import type { Egress, ExternalSystems, Scan, VoiceAsked } from "./platform/outside/external-systems.ts";
import { openMail } from "./platform/outside/mail.ts";
import { openModel } from "./platform/outside/model.ts";
import { openProviders } from "./platform/outside/openid.ts";
import { openStorage } from "./platform/outside/storage.ts";
import { sweepIncoming } from "./platform/outside/storage-files.ts";
import { type CheckIntervals, type StorageFault, storageHealth } from "./platform/outside/storage-health.ts";
import { serveStorage } from "./platform/outside/storage-routes.ts";
import { parseStorageUrl } from "./platform/outside/storage-s3.ts";
import { openStripe } from "./platform/outside/stripe.ts";
import { type Lines, openLines } from "./platform/outside/voice/voice-sessions.ts";
import { openPush } from "./platform/outside/web-push.ts";
import { originsFor } from "./platform/settings/apps-config.ts";
import { type Config, listeningOn } from "./platform/settings/config.ts";
import { ConfigError } from "./platform/settings/config-error.ts";
import { outboxFor } from "./platform/settings/outbox.ts";
import { cursorSigner } from "./platform/wire/cursor.ts";
import { NIL } from "./platform/wire/ids.ts";
import { bodies } from "./platform/wire/input/body.ts";
import { admission, tenants } from "./platform/wire/limits/admission.ts";
import { readsByAddress } from "./platform/wire/limits/rate-limit.ts";
import { createLog, type Log } from "./platform/wire/log.ts";
import { createMetrics } from "./platform/wire/metrics.ts";
import { NO_ROOM, Refusal } from "./platform/wire/problem.ts";
import { secretBox } from "./platform/wire/secret-box.ts";
import { DRAINING } from "./platform/wire/send-answer.ts";
import { foreign } from "./platform/wire/sockets/handshake.ts";
import { listen } from "./platform/wire/sockets/listener.ts";
import { type Door, openDoors } from "./platform/wire/sockets/upgrade.ts";
import { ageOfLast } from "./surfaces/backup/schedule.ts";
import { including } from "./surfaces/include/included-rows.ts";
import { servePublished } from "./surfaces/pages/published-pages.ts";
import { serveWeb } from "./surfaces/pages/web.ts";
import { openFeed } from "./surfaces/realtime/feed.ts";
import { openRealtime, type Tuning } from "./surfaces/realtime/realtime.ts";
import { serveMailbox } from "./surfaces/reference/mailbox.ts";
import { serveReference } from "./surfaces/reference/reference.ts";

/** Time limit for running requests; the rest of the ten seconds of a stop is for the worker and the connections. */
const DRAIN_MS = 7_000;

export interface RunningServer {
  url: string;
  /** Port of /metrics, also if METRICS_PORT is 0 and the system chose one; null without that server. */
  metricsPort: number | null;
  database: Database;
  close(): Promise<void>;
}
/** Parts that a test replaces: the rest of the service does not depend on being tested. */
export interface ServerParts {
  log?: Log;
  implementations?: readonly Implementation[];
  egress?: Egress;
  scan?: Scan;
  pace?: Partial<EditingPace>;
  realtime?: Tuning;
  mcp?: McpServerFactory;
  voice?: Lines;
  talkPace?: Partial<TalkPace>;
  /** Intervals of the write probe, and of the storage check. */
  writeProbe?: ProbeIntervals;
  storageCheck?: CheckIntervals;
}

export async function serve(config: Config, databaseUrl: string, parts: ServerParts = {}): Promise<RunningServer> {
  const log = parts.log ?? createLog(config.logLevel);
  const patience = { seconds: config.databaseWait, say: console.error };
  const prepare = async (say: (line: string) => void) => {
    for (const note of await migrate(databaseUrl, undefined, undefined, say)) log.warn(note);
    await checkKeys(databaseUrl, config.secretKeys, config.keysFrom);
    await tellPlans(databaseUrl, config.billing);
  };
  await patiently("Preparing the database", databaseUrl, prepare, patience);
  const open = () => openProvedDatabase(databaseUrl);
  const database = await patiently("Preparing the database", databaseUrl, open, patience);
  const endWriteProbe = database.writes.probe(database.writer, parts.writeProbe);
  if (!config.rateLimits) log.warn("RATE_LIMITS is off");
  const used = credentialTouch(database.writer);
  const secrets = secretBox(config.secretKeys);
  // Cached, because the last requests are answered while the server no longer listens.
  let published = config.publicUrl;
  const origin = () => published;
  const mail = openMail(config, database, secrets);
  const way = parts.egress ?? egress;
  const push = openPush(config, way);
  const objects = storageHealth(openStorage(config, origin), log);
  const outside: ExternalSystems = {
    mail,
    storage: objects.storage,
    scan: parts.scan ?? (config.clamdUrl === null ? null : clamd(config.clamdUrl)),
    egress: way,
    integrations: {
      egressFor: (provider) => parts.egress ?? egressTo({ allow: originsFor(config.apps, provider) }),
      apps: config.apps,
    },
    webhooks: parts.egress ?? egressTo({ allow: config.webhookAllow }),
    git: parts.egress ?? egressTo({ allow: config.gitAllow }),
    model: config.model && openModel(config.model, egressTo({ allow: config.egressAllow })),
    push,
    billing: config.billing && openStripe(config.billing, egressTo({ allow: config.egressAllow })),
    // These call operations, so they are created once operations are served.
    voice: (asked: VoiceAsked) => talks.begin(asked),
    performAs: (acting, signal) => callingAs(kit.host, acting, signal),
    providers: openProviders(config.providers, log),
    breachRange: config.breachRangeUrl === null ? null : breachRange(config.breachRangeUrl),
    secrets,
    origin,
  };
  const hasWorker = config.roles.includes("worker");
  const feed = openFeed(database, databaseUrl, log, { hasWorker });
  const collaboration = openCollaboration(database, databaseUrl, log, parts.pace);
  const cursors = cursorSigner(config.secretKeys);
  const realtime = config.roles.includes("realtime")
    ? openRealtime({ database, databaseUrl, feed, cursors, log }, parts.realtime)
    : null;
  const all = offered(parts.implementations ?? implementations, config);
  const served = config.roles.includes("api") ? all : [];
  const host: Host = {
    kernel: {
      database,
      limits: config.rateLimits ? attemptLimits(database.writer, config.rateLimits) : null,
      tenants: tenants(),
      cursors,
      secrets,
      outside,
      runLimits: config.runLimits,
      touch: used.touch,
      committed({ author, facts }) {
        feed.wake(author.tenant);
        if (facts.some(isOfAccount)) feed.wake(NIL);
      },
      including,
      implementations: new Map(all.map((each) => [each.operation.id, each])),
      numbers: numbers(counterIn(database.counter)),
      texts: collaboration,
    },
    implementations: served,
    constraints,
    admission: admission(),
    bodies: bodies(),
    metrics: createMetrics(),
    log,
    trust: config.trustProxy,
    secure: config.publicUrl.startsWith("https:"),
    maintenance: () => maintenance(config),
    draining: false,
    underWay: 0,
  };
  const app: FastifyInstance = createHost(host);
  const readBy = outboxFor(config);
  if (readBy) serveMailbox(app, { database, secrets, config, readBy, secure: host.secure });
  const takeRead = readsByAddress(host.kernel.limits, host.trust);
  serveReference(app, { secure: host.secure, takeRead });
  serveMetadata(app, { secure: host.secure, origin, takeRead });
  const endMcp = config.roles.includes("api") ? serveMcp(app, host, origin, parts.mcp) : null;
  servePublished(app, { secure: host.secure, database, storage: outside.storage });
  host.missing = serveWeb(app, {
    secure: host.secure,
    offers: offersOf(config, host.implementations),
    storage: config.storageUrl && new URL(parseStorageUrl(config.storageUrl).base).origin,
  });
  if (config.storageUrl === null) {
    serveStorage(app, config, host, uploadsOf(database.reader));
    await sweepIncoming(config);
  }
  const collaborating: Door = {
    path: COLLABORATION_PATH,
    mostBytes: MOST_FRAME,
    enter(request) {
      // Programs that are no browser send no Origin.
      const isForeign = request.headers.origin !== undefined ? foreign(request, origin()) : null;
      const draining = host.draining ? new Refusal("overloaded", DRAINING) : null;
      return { refusal: draining ?? (collaboration.isCrowded() ? NO_ROOM : isForeign), take: collaboration.attend };
    },
  };
  const doors = openDoors(app.server, host, [
    ...(config.roles.includes("api") ? [collaborating] : []),
    ...(realtime ? [realtime.door(host)] : []),
  ]);
  let worker: Worker | null = null;
  serveHealth(app, { config, database, host, worker: () => worker, storageFailure: objects.failure });
  const endStorageWatch = objects.watch(parts.storageCheck);
  try {
    if (config.storageUrl !== null) await requireStorage(objects.check);
    published = listeningOn(config, await listen(app, config)).publicUrl;
  } catch (error) {
    endWriteProbe();
    endStorageWatch();
    await Promise.all([used.stop(), collaboration.close(), feed.close(), realtime?.close()]);
    await database.end();
    throw error;
  }
  // Runs of the assistant and of Agents call operations, also in a process that serves none.
  const kit = {
    writer: database.writer,
    host: { ...host, implementations: all },
    model: outside.model,
    secrets,
    log,
    origin,
    storage: outside.storage,
    wake: feed.wake,
    runLimits: config.runLimits,
  };
  const runners = [
    openDiscuss(kit),
    openAgents({ ...kit, deliver }),
    openDeliveries({ ...kit, reaching: { database, outside } }),
    openWebhooks({ database, outside, log }),
  ];
  const talks = openTalks(kit, parts.voice ?? openLines({ host: config.host, ...config.voice }), parts.talkPace);
  const work = hasWorker
    ? gather([...background, { jobs: () => mail.jobs }, ...runners.map((runner) => runner.background)], {
        config,
        databaseUrl,
        database,
        outside,
        metrics: host.metrics,
        log,
      })
    : null;
  const triggers = work && openTriggers(work.follows, log, () => feed.wake(undefined, true));
  if (triggers) feed.onCommit(triggers.wake);
  worker = work
    ? await startWorker(
        databaseUrl,
        {
          ...work,
          isAlone: config.databaseUrl === null,
          ended: (name) => feed.wake(undefined, work.frequent.includes(name)),
          failed: database.writes.note,
        },
        log,
      )
    : null;
  // Processes commits made while no worker ran.
  triggers?.wake(null);
  if (worker) host.metrics.asked("svc_jobs_exhausted", "Jobs that failed at every attempt", worker.exhausted);
  host.metrics.asked("svc_collaboration_texts", "Texts that are open for editing", async () => collaboration.texts());
  host.metrics.asked("svc_collaboration_sockets", "Sockets of their editors", async () => collaboration.sockets());
  if (realtime) {
    host.metrics.asked("svc_realtime_sockets", "Sockets that follow changes", async () => realtime.sockets());
    host.metrics.asked("svc_realtime_subscriptions", "What they follow", async () => realtime.subscriptions());
  }
  host.metrics.asked(
    "svc_journal_held_back_seconds",
    "For how long the journal has waited for a transaction that is still open",
    heldBack(database.reader),
  );
  host.metrics.asked("svc_writes_refused", "1 while the database refuses writes", async () =>
    Number(database.writes.refusal() !== null),
  );
  host.metrics.asked("svc_storage_failing", "1 while stored objects cannot be read or written", async () =>
    Number(objects.failure() !== null),
  );
  const { backupDir } = config;
  if (backupDir !== null)
    host.metrics.asked("svc_backup_age_seconds", "Age of the last backup that was made and verified", async () =>
      ageOfLast(backupDir),
    );
  const metricsServer = await serveMetrics(host.metrics, config);
  return {
    url: origin(),
    metricsPort: metricsServer?.port ?? null,
    database,
    async close() {
      host.draining = true;
      endWriteProbe();
      endStorageWatch();
      const forced = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
      const toldBye = realtime?.close();
      // Refuses new requests while running ones are answered, then stops listening.
      for (const until = performance.now() + DRAIN_MS; host.underWay > 0 && performance.now() < until; )
        await sleep(20);
      await Promise.all([collaboration.close(), toldBye, endMcp?.()]);
      doors.close();
      talks.close();
      await app.close();
      clearTimeout(forced);
      metricsServer?.close();
      const ended = Promise.all(runners.map((runner) => runner.close()));
      await Promise.all([worker?.stop(ended), triggers?.close(), ended, used.stop(), feed.close()]);
      mail.close();
      await database.end();
      log.flush();
    },
  };
}

const offersOf = (config: Config, served: readonly Implementation[]) => ({
  providers: Object.keys(config.providers),
  passkeys: served.some(({ operation }) => operation.id === "loginWithPasskey"),
  outbox: outboxFor(config) === "here",
});

/** Remaining seconds of maintenance: until the time that MAINTENANCE names, or a minute at a time. */
function maintenance({ maintenance: until }: Config): { retryAfter: number } | null {
  if (until === null) return null;
  const left = until === "on" ? 60 : Math.ceil((until.getTime() - Date.now()) / 1000);
  return left > 0 ? { retryAfter: left } : null;
}

/** A start waits this long for an S3 service that does not answer, and then continues without it. */
const STORAGE_MS = 3000;
/** A refused key or a missing bucket ends the start. */
async function requireStorage(check: (thorough: boolean) => Promise<StorageFault | null>): Promise<void> {
  const fault = await Promise.race([check(true), sleep(STORAGE_MS, null, { ref: false })]);
  if (fault?.isConfiguration)
    throw new ConfigError([
      `STORAGE_URL: ${fault.message}; check key, secret, bucket and region, and that the key may read and write there`,
    ]);
}
