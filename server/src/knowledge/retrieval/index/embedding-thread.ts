// Embedding thread: has passages in memory, loads the model on first use, and processes one message after the other.
import { parentPort, workerData } from "node:worker_threads";
import { loadModel, type Model } from "./model.ts";
import { Held } from "./passage-index.ts";
import type { Gone, Row } from "./place-index.ts";
import { termsOf } from "./words.ts";

const held = new Held();
let loading: Promise<Model | null> | undefined;
/** Reports once if the model cannot be loaded; search then uses words alone. */
function model(): Promise<Model | null> {
  loading ??= loadModel(workerData?.folder).catch((error: unknown) => {
    parentPort?.postMessage({ unavailable: String(error) });
    return null;
  });
  return loading;
}

export interface Asked {
  q: string;
  places: readonly { id: string; gone: readonly string[] }[];
  most: number;
}
const tasks = {
  async embed(texts: readonly string[]) {
    const meaning = await model();
    const vectors: (Int8Array | null)[] = [];
    for (const text of texts) vectors.push(meaning ? await meaning(text) : null);
    return vectors;
  },
  async hold(id: string, reset: boolean, rows: readonly Row[], gone: readonly Gone[]) {
    return held.hold(id, reset, rows, gone);
  },
  async drop(id: string) {
    held.drop(id);
  },
  async ask({ q, places, most }: Asked) {
    const meaning = await model();
    const found = held.ask({ terms: termsOf(q), vector: meaning ? await meaning(q) : null, places, most });
    return { found, whole: places.every(({ id }) => held.isHeld(id)) };
  },
};
export type Tasks = typeof tasks;

parentPort?.on("message", async ({ name, values }: { name: keyof Tasks; values: never[] }) => {
  try {
    const result = await (tasks[name] as (...values: never[]) => Promise<unknown>)(...values);
    parentPort?.postMessage({ result });
  } catch (error) {
    parentPort?.postMessage({ failure: String(error) });
  }
});
