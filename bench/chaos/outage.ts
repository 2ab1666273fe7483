// The fault process of outages: nothing can connect to the database for 30 s, because a proxy closes, hangs, refuses or
// flaps. Meanwhile the server must make at most two connection attempts per second; it must be ready 3 s after the end,
// with no more connections than its pools allow.
import { statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { FaultyNetwork, outages } from "../../server/test/faulty-network.ts";
import { RECOVERY_MS } from "./attempt.ts";
import { enough, healed, report, startStanding, task, watchHealth } from "./server.ts";

const OUTAGE_MS = 30_000;
const READY_MS = 3000;
const TOLD_MS = 1000;
/** Two per second, plus those in flight when the outage began. */
const MOST_ATTEMPTS = (2 * OUTAGE_MS) / 1000 + 2;
/**
 * Connections of readers, writers, numbers and jobs, the channel, the process lock, and one each to maintain them and
 * to probe.
 */
const MOST_CONNECTIONS = 2 * Math.max(8, availableParallelism() * 4) + 2 + 9 + 1 + 2;
const BACKENDS = `
select count(*)::int as count from pg_stat_activity
where datname = current_database() and application_name like 'svc-%'`;

const network = await FaultyNetwork.to(task.databaseUrl);
const attempts = `${task.log}.attempts`;
writeFileSync(attempts, "");
const counter = new URL("count-attempts.ts", import.meta.url).href;
const port = await startStanding({
  ...task.env,
  DATABASE_URL: network.url,
  NODE_OPTIONS: `--import ${counter}`,
  ATTEMPTS_FILE: attempts,
  ATTEMPTS_PORT: String(network.port),
});
void watchHealth(port);
const admin = new pg.Client(task.databaseUrl);
await admin.connect();
const counts: Record<string, number> = {};
for (const outage of outages) {
  if (enough()) break;
  report({ event: "fault", name: outage });
  // Notifies the load of the fault before the first 503.
  await sleep(TOLD_MS);
  const before = statSync(attempts).size;
  network.beginOutage(outage);
  await sleep(OUTAGE_MS);
  const made = statSync(attempts).size - before;
  counts[`attempts: ${outage}`] = made;
  if (made > MOST_ATTEMPTS) report({ event: "broken", rule: `${made} attempts in 30 s of "${outage}"` });
  await network.heal();
  const calm = sleep(RECOVERY_MS + 2000);
  await healed(port, outage, READY_MS);
  await calm;
  const { count } = (await admin.query(BACKENDS)).rows[0];
  counts["connections afterwards, most"] = Math.max(counts["connections afterwards, most"] ?? 0, count);
  if (count > MOST_CONNECTIONS) report({ event: "broken", rule: `${count} connections after "${outage}"` });
}
await admin.end();
report({ event: "seen", counts });
report({ event: "up", port, standing: true });
