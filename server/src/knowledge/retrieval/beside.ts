// The way to the thread: one task at a time, questions before what is read for the index, a bounded line, and an end to every wait. A thread that has died or
// said nothing for long is ended, and the next task gets a new one, which holds nothing yet. Which versions it holds is known here.
import { Worker } from "node:worker_threads";
import { Refusal } from "../../platform/wire/problem.ts";
import type { Tasks } from "./thread.ts";

/** Loading the model takes a second where the disk is slow; a place of 200,000 passages comes in pages. */
const MOST_MS = 20_000;
const MOST_WAITING = 200;
/** Passages in memory, over all places: 200 MB. */
const MOST_HELD = 400_000;

interface Waiting {
  name: keyof Tasks;
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

/** `folder`: where the weights are, if not where they are installed. */
export function openBeside(unavailable: (why: string) => void = () => {}, folder?: string) {
  const [questions, readings]: [Waiting[], Waiting[]] = [[], []];
  /** In the order in which they were asked for, the latest last. */
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
    // Its own: what a test runner has loaded into this process is nothing to it.
    const started = new Worker(new URL("./thread.ts", import.meta.url), { execArgv: [], workerData: { folder } });
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
  const told = <Name extends keyof Tasks>(line: Waiting[], name: Name, values: Parameters<Tasks[Name]>) =>
    new Promise<Awaited<ReturnType<Tasks[Name]>>>((resolve, reject) => {
      if (line.length >= MOST_WAITING) return reject(new Refusal("overloaded", { retry_after: 1 }));
      line.push({ name, values, resolve: resolve as (result: unknown) => void, reject });
      next();
    });

  return {
    /** Of a question, or of sentences that answer one. */
    embed: (texts: readonly string[]) => told(questions, "embed", [texts]),
    /** For the index: behind every question. */
    read: (texts: readonly string[]) => told(readings, "embed", [texts]),
    ask: (...values: Parameters<Tasks["ask"]>) => told(questions, "ask", values),
    versionOf: (id: string) => places.get(id)?.version,
    /** From now on it holds this place in this version; those that nobody has asked for in the longest time go where there is no room. */
    async hold(version: number, ...values: Parameters<Tasks["hold"]>) {
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
    /** It is asked for now. */
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
export type Beside = ReturnType<typeof openBeside>;
