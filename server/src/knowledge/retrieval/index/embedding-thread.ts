// Embedding thread: has passages in memory, loads the model on first use, and processes one message after the other.
import { parentPort, workerData } from "node:worker_threads";
import { type EmbeddingModel, loadModel } from "./model.ts";
import { PassageIndex } from "./passage-index.ts";
import type { Gone, IndexRow } from "./place-index.ts";
import { termsOf } from "./words.ts";

const held = new PassageIndex();
let loading: Promise<EmbeddingModel | null> | undefined;
/** Reports once if the model cannot be loaded; search then uses words alone. */
function model(): Promise<EmbeddingModel | null> {
  loading ??= loadModel(workerData?.folder).catch((error: unknown) => {
    parentPort?.postMessage({ unavailable: String(error) });
    return null;
  });
  return loading;
}

export interface PassageRequest {
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
  async hold(id: string, reset: boolean, rows: readonly IndexRow[], gone: readonly Gone[]) {
    return held.hold(id, reset, rows, gone);
  },
  async drop(id: string) {
    held.drop(id);
  },
  async ask({ q, places, most }: PassageRequest) {
    const meaning = await model();
    const found = held.ask({ terms: termsOf(q), vector: meaning ? await meaning(q) : null, places, most });
    return { found, whole: places.every(({ id }) => held.isHeld(id)) };
  },
};
export type EmbeddingTasks = typeof tasks;

parentPort?.on("message", async ({ name, values }: { name: keyof EmbeddingTasks; values: never[] }) => {
  try {
    const result = await (tasks[name] as (...values: never[]) => Promise<unknown>)(...values);
    parentPort?.postMessage({ result });
  } catch (error) {
    parentPort?.postMessage({ failure: String(error) });
  }
});
