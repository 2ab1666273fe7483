// Loaded into a service whose memory is measured: SIGUSR2 collects its garbage, so that what remains is what it holds. Needs --expose-gc.
import { isMainThread } from "node:worker_threads";

if (isMainThread) process.on("SIGUSR2", () => globalThis.gc?.());
