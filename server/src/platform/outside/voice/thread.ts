// A thread that hears or one that speaks: both would hold up the packets of the session for seconds. One thing at a time, as it is told.
import { parentPort, workerData } from "node:worker_threads";
import type { Engine } from "./engine.ts";

const { engine, part } = workerData as { engine: string; part: "ears" | "mouth" };
const loaded = (await import(engine)) as { engine: Engine };
const work = (await loaded.engine[part]()) as (given: unknown) => Promise<unknown>;
parentPort?.on("message", async (given: unknown) => {
  parentPort?.postMessage({ result: await work(given) });
});
parentPort?.postMessage({ ready: true });
