// The fault process of networks: one server keeps running, and a proxy in front of its database cuts, swallows, delays
// and trickles traffic in turn, and recovers. Meanwhile a lifecycle migration runs and mails are queued (beside.ts).
// The database itself is never harmed.
import { setTimeout as sleep } from "node:timers/promises";
import { FaultyNetwork, faults } from "../../server/test/faulty-network.ts";
import { RECOVERY_MS } from "./attempt.ts";
import { workBeside } from "./beside.ts";
import { randomOf } from "./random.ts";
import { enough, healed, report, startStanding, task, watchHealth } from "./server.ts";

/** Range of a fault's duration; and the pause after it, long enough for a write that must succeed again. */
const [SHORTEST_MS, LONGEST_MS] = [500, 7000];
const CALM_MS = RECOVERY_MS + 2000;

const random = randomOf(task.seed, "network");
const network = await FaultyNetwork.to(task.databaseUrl);
const beside = await workBeside(task.databaseUrl, task.env.DATA_DIR as string);
const port = await startStanding({ ...task.env, DATABASE_URL: network.url, SMTP_URL: beside.smtpUrl });
void watchHealth(port);
await beside.begin(port);
for (let turn = 0; turn < task.faults && !enough(); turn++) {
  const fault = faults[turn % faults.length] as (typeof faults)[number];
  report({ event: "fault", name: fault });
  network.begin(fault);
  await sleep(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS));
  network.heal();
  const calm = sleep(CALM_MS);
  await healed(port, fault);
  await calm;
}
const { counts, broken } = await beside.end();
report({ event: "seen", counts });
for (const rule of broken) report({ event: "broken", rule });
report({ event: "up", port, standing: true });
