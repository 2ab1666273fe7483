// Preloaded by a service whose memory is measured: SIGUSR2 collects garbage, so that only live memory remains. Needs
// --expose-gc.
import { isMainThread } from "node:worker_threads";

if (isMainThread) process.on("SIGUSR2", () => globalThis.gc?.());
