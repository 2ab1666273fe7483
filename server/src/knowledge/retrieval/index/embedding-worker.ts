// Client of the embedding thread: one task at a time, questions before indexing, a bounded queue, and a timeout for
// every task. A thread that has died or hangs is terminated, and the next task starts a new, empty one. The client
// tracks which versions of places are loaded.
import { Worker } from "node:worker_threads";
import { Refusal } from "../../../platform/wire/problem.ts";
import type { EmbeddingTasks } from "./embedding-thread.ts";

/** Loading the model takes a second from a slow disk; a place of 200,000 passages is loaded in pages. */
const MOST_MS = 20_000;
const MOST_WAITING = 200;
/** Number of passages in memory, over all places: 200 MB. */
const MOST_HELD = 400_000;

interface Waiting {
  name: keyof EmbeddingTasks;
  values: readonly unknown[];
  resolve(result: unknown): void;
  reject(error: Error): void;
}
interface Told {
  result?: unknown;
  failure?: string;
  unavailable?: string;
}

export interface HeldPlace {
  version: number;
  size: number;
}

/** `folder`: location of the weights if they are not installed in the default one. */
export function openBeside(unavailable: (why: string) => void = () => {}, folder?: string) {
  const [questions, readings]: [Waiting[], Waiting[]] = [[], []];
  /** Places in order of their last use, the latest last. */
  const places = new Map<string, HeldPlace>();
  let worker: Worker | null = null;
  let current: Waiting | null = null;
  let timer: NodeJS.Timeout | undefined;

  const fail = (error: Error) => {
    const failed = current;
    end();
    failed?.reject(error);
    next();
  };
  const end = () => {
    clearTimeout(timer);
    const ended = worker;
    [worker, current] = [null, null];
    places.clear();
    ended?.removeAllListeners().terminate();
  };
  const start = () => {
    // Clears execArgv: loaders that a test runner installed in this process must not apply to the thread.
    const started = new Worker(new URL("./embedding-thread.ts", import.meta.url), {
      execArgv: [],
      workerData: { folder },
    });
    started.unref();
    started.on("message", (told: Told) => {
      if (told.unavailable !== undefined) return unavailable(told.unavailable);
      const done = current;
      current = null;
      clearTimeout(timer);
      started.unref();
      if (told.failure === undefined) done?.resolve(told.result);
      else done?.reject(new Error(told.failure));
      next();
    });
    started.on("error", fail).on("exit", () => fail(new Error("the thread of Knowledge has ended")));
    return started;
  };
  const next = () => {
    if (current) return;
    current = questions.shift() ?? readings.shift() ?? null;
    if (!current) return;
    worker ??= start();
    worker.ref();
    timer = setTimeout(() => fail(new Error("the thread of Knowledge said nothing")), MOST_MS);
    worker.postMessage({ name: current.name, values: current.values });
  };
  const told = <Name extends keyof EmbeddingTasks>(
    line: Waiting[],
    name: Name,
    values: Parameters<EmbeddingTasks[Name]>,
  ) =>
    new Promise<Awaited<ReturnType<EmbeddingTasks[Name]>>>((resolve, reject) => {
      if (line.length >= MOST_WAITING) return reject(new Refusal("overloaded", { retry_after: 1 }));
      line.push({ name, values, resolve: resolve as (result: unknown) => void, reject });
      next();
    });

  return {
    /** Embeds a question, or candidate sentences of an answer. */
    embed: (texts: readonly string[]) => told(questions, "embed", [texts]),
    /** Embeds passages for the index, after all queued questions. */
    read: (texts: readonly string[]) => told(readings, "embed", [texts]),
    ask: (...values: Parameters<EmbeddingTasks["ask"]>) => told(questions, "ask", values),
    versionOf: (id: string) => places.get(id)?.version,
    /** Loads this version of a place, and evicts the least recently used places above the limit. */
    async hold(version: number, ...values: Parameters<EmbeddingTasks["hold"]>) {
      const [id] = values;
      const size = await told(questions, "hold", values);
      places.delete(id);
      places.set(id, { version, size });
      let all = [...places.values()].reduce((sum, place) => sum + place.size, 0);
      for (const [other, place] of [...places]) {
        if (all <= MOST_HELD || other === id) break;
        places.delete(other);
        all -= place.size;
        await told(questions, "drop", [other]);
      }
    },
    /** Marks the place as used now. */
    touch(id: string) {
      const place = places.get(id);
      if (!place) return;
      places.delete(id);
      places.set(id, place);
    },
    held: () => [...places.values()].reduce((sum, place) => sum + place.size, 0),
    stop: end,
  };
}
export type EmbeddingWorker = ReturnType<typeof openBeside>;
