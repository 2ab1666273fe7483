// The fault process of kills: starts the server, kills it with SIGKILL at a random moment, starts it again, until it is told that it is
// enough; then leaves one server standing. It touches only the server that it started; the database is never harmed.
import { setTimeout as sleep } from "node:timers/promises";
import { slownessOf } from "./patience.ts";
import { randomOf } from "./random.ts";
import { enough, start, task } from "./server.ts";

/** When to kill, in turn: within so many ms after ready, or during start-up (null). A server that is cold is slow, hence the long ones. */
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
    // On a busy machine no kill would cut a request without that.
    await Promise.race([sleep(random() * withinMs * slownessOf(startMs)), server.ended]);
  }
  await server.kill();
}
for (;;) await start(true).ended;
