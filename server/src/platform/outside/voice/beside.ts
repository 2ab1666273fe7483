// The way to a thread that hears or speaks. Whoever asks waits for the one answer before they ask again.
import { Worker } from "node:worker_threads";

/** Fails where it cannot be loaded; what it cannot work out ends it, and all who wait. */
export function beside<Given, Result>(
  engine: string,
  part: "ears" | "mouth",
): Promise<(given: Given) => Promise<Result>> {
  const worker = new Worker(new URL("./thread.ts", import.meta.url), { execArgv: [], workerData: { engine, part } });
  return new Promise((loaded, failed) => {
    let waiting: { resolve(result: Result): void; reject(error: Error): void } | null = null;
    worker.on("message", (told: { ready?: true; result: Result }) => {
      if (!told.ready) return waiting?.resolve(told.result);
      loaded(
        (given) =>
          new Promise<Result>((resolve, reject) => {
            waiting = { resolve, reject };
            worker.postMessage(given);
          }),
      );
    });
    worker.on("error", (error: Error) => {
      failed(error);
      waiting?.reject(error);
    });
  });
}
