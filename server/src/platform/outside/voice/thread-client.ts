// Runs one part of the speech engine in a worker thread. The caller awaits each result before the next call.
import { Worker } from "node:worker_threads";

/** Rejects if the engine cannot be loaded; an error in it ends the thread and rejects the pending call. */
export function beside<Given, Result>(
  engine: string,
  part: "ears" | "mouth",
): Promise<(given: Given) => Promise<Result>> {
  const worker = new Worker(new URL("./speech-thread.ts", import.meta.url), {
    execArgv: [],
    workerData: { engine, part },
  });
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
