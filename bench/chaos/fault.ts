// The fault process of kills: starts the server, kills it with SIGKILL at a random moment and restarts it until the run
// has seen enough; then leaves one server running. It touches only the server that it started, never the database.
import { setTimeout as sleep } from "node:timers/promises";
import { slownessOf } from "./patience.ts";
import { randomOf } from "./random.ts";
import { enough, start, task } from "./server.ts";

/**
 * Times of kills, in turn: within so many ms after ready, or during start-up (null). A cold server is slow, hence the
 * long ones.
 */
const moments = [400, 1500, null, 400, 1500, 400];
const random = randomOf(task.seed, "fault");

let startMs = 500;
for (let turn = 0; !enough(); turn++) {
  const began = performance.now();
  const server = start(false);
  const withinMs = moments[turn % moments.length] ?? null;
  if (withinMs === null) await Promise.race([sleep(random() * startMs), server.ended]);
  else {
    await Promise.race([server.ready, server.ended]);
    startMs = performance.now() - began;
    // Scaled by the machine's slowness: otherwise no kill would cut a request on a busy machine.
    await Promise.race([sleep(random() * withinMs * slownessOf(startMs)), server.ended]);
  }
  await server.kill();
}
for (;;) await start(true).ended;
