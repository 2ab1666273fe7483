// A worker whose one job takes a while, as a process of its own: a test breaks its connections meanwhile. Says what it
// has done.
import { setTimeout as sleep } from "node:timers/promises";
import { startWorker } from "../src/platform/background/jobs.ts";
import { createLog } from "../src/platform/wire/log.ts";

const slow = async (payload: unknown) => {
  const { name, ms } = payload as { name: string; ms: number };
  await sleep(ms);
  process.send?.(name);
};
const worker = await startWorker(process.env.DATABASE_URL ?? "", { jobs: { slow } }, createLog("silent"), 200);
process.on("SIGTERM", () => void worker.stop().then(() => process.exit(0)));
process.send?.("ready");
