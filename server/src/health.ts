// Endpoints with which supervisors, load balancers and Prometheus monitor this process: /healthz, /livez and /readyz on
// the public port, /metrics on a port of its own.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Worker } from "./platform/background/jobs.ts";
import type { Database, Pool } from "./platform/database/db.ts";
import type { Config } from "./platform/settings/config.ts";
import type { Metrics } from "./platform/wire/metrics.ts";
import { commonHeaders, type Edge } from "./platform/wire/send-answer.ts";
import { ageOfLast } from "./surfaces/backup/schedule.ts";

const READY_MS = 900;

export interface HealthSources {
  config: Config;
  database: Database;
  host: Edge;
  worker(): Worker | null;
  storageFailure(): string | null;
}

/** `role` names a role of a process, or an ability that can fail while the rest works. */
const ROLES = ["api", "worker", "realtime", "write", "storage"] as const;
type Role = (typeof ROLES)[number];

export function serveHealth(app: FastifyInstance, health: HealthSources): void {
  const text = ({ raw }: FastifyRequest, reply: FastifyReply) => reply.headers(commonHeaders(health.host, raw));
  for (const url of ["/healthz", "/livez"]) app.get(url, async (request, reply) => text(request, reply).send("ok"));
  app.get<{ Querystring: { verbose?: string; role?: string } }>("/readyz", async (request, reply) => {
    const { verbose, role } = request.query;
    text(request, reply);
    if (role !== undefined && !ROLES.includes(role as Role))
      return reply.code(400).send(`role is one of ${ROLES.join(", ")}`);
    const { config, database, host } = health;
    const writes = database.writes.refusal();
    const parts = await readiness(health);
    const lacks = role === undefined ? null : missing(role as Role, health);
    const ready = !host.draining && Object.values(parts).every(Boolean) && lacks === null;
    const lines = [
      ready ? "ready" : "not ready",
      ...Object.entries(parts).map(([name, works]) => `${name}: ${works ? "answers" : "does not answer"}`),
      writes === null ? "writes: accepted" : `writes refused: ${writes}`,
      health.storageFailure() === null ? "storage: works" : `storage failing: ${health.storageFailure()}`,
      ...(role !== undefined && lacks !== null ? [`role ${role}: ${lacks}`] : []),
      ...(host.draining ? ["the service stops"] : []),
      ...(config.backupDir === null ? [] : [`backup: the last good one is ${inWords(ageOfLast(config.backupDir))}`]),
    ];
    return reply.code(ready ? 200 : 503).send(verbose === undefined ? lines[0] : lines.join("\n"));
  });
}

/** Reason why this process cannot serve the role, or null. */
function missing(role: Role, { config, database, storageFailure }: HealthSources): string | null {
  if (role === "write") return database.writes.refusal();
  if (role === "storage") return storageFailure();
  return config.roles.includes(role) ? null : `ROLES of this process does not contain ${role}`;
}

/** Checks every part that a request needs at the same time, for less than a second. */
async function readiness({ config, database, worker }: HealthSources): Promise<Record<string, boolean>> {
  const { reader, writer, counter } = database;
  const ask = (pool: Pool) => pool.use((tx) => tx.rows("select 1")).then(() => true);
  // Background work needs writes, but reads do not: refused writes must not make a load balancer remove every node. The
  // worker may be the first to notice them.
  const isRefused = () => database.writes.refusal() !== null;
  const isAlive = async () => isRefused() || (await worker()?.alive()) || isRefused();
  const asked: Record<string, Promise<boolean>> = {
    reader: ask(reader),
    writer: ask(writer),
    counter: ask(counter),
    ...(config.roles.includes("worker") && { worker: isAlive() }),
  };
  const late = sleep(READY_MS, false, { ref: false });
  const answers = Object.entries(asked).map(
    async ([name, answer]) => [name, await Promise.race([answer.catch(() => false), late])] as const,
  );
  return Object.fromEntries(await Promise.all(answers));
}

const HOUR = 60 * 60;
function inWords(seconds: number): string {
  if (seconds > 10 * 365 * 24 * HOUR) return "missing";
  const [count, unit] = seconds < HOUR ? [Math.floor(seconds / 60), "minute"] : [Math.floor(seconds / HOUR), "hour"];
  return `${count} ${unit}${count === 1 ? "" : "s"} old`;
}

/** Metrics have a port of their own, so that the proxy that publishes the rest cannot reach them. */
export async function serveMetrics(metrics: Metrics, { metricsPort, host }: Config) {
  if (metricsPort === null) return null;
  const server = createServer(async ({ method, url = "" }, response) => {
    if (url.replace(/\?.*$/s, "") !== "/metrics") return void response.writeHead(404).end();
    if (method !== "GET" && method !== "HEAD") return void response.writeHead(405, { allow: "GET, HEAD" }).end();
    response.writeHead(200, { "content-type": metrics.contentType }).end(await metrics.text());
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(metricsPort, host, resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
