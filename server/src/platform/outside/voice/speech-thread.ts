// Worker thread for recognition or synthesis: on the main thread either would delay the packets of the session for
// seconds. Processes one message at a time.
import { parentPort, workerData } from "node:worker_threads";
import type { Engine } from "./engine.ts";

const { engine, part } = workerData as { engine: string; part: "ears" | "mouth" };
const loaded = (await import(engine)) as { engine: Engine };
const work = (await loaded.engine[part]()) as (given: unknown) => Promise<unknown>;
parentPort?.on("message", async (given: unknown) => {
  parentPort?.postMessage({ result: await work(given) });
});
parentPort?.postMessage({ ready: true });
