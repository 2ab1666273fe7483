// Computes what a process needs of a stored text before anybody changes it here: its update, state vector and size.
// Large texts take tens of milliseconds, so a thread computes this, for the Workspaces in turn, so that no other tenant
// waits.
import { Worker } from "node:worker_threads";
import * as Y from "yjs";
import { gate } from "../../../platform/wire/limits/concurrency-limit.ts";
import { threadMs } from "../../../platform/wire/limits/processor-time.ts";
import { Refusal } from "../../../platform/wire/problem.ts";
import { decoded, deletionsOf } from "../change.ts";
import { docOf } from "../yjs/rich-text.ts";
import { sizeOf, type TextSize } from "../yjs/text-size.ts";

export interface Outline {
  /** The whole state as one update. */
  update: Uint8Array;
  vector: Uint8Array;
  size: TextSize;
  /** Key of the deletions, see deletionsOf. */
  deletions: string;
  processorMs: number;
}

/** Bytes up to which a text is decoded on the event loop, in at most 3 ms. */
const SMALL = 32_768;
/** Milliseconds after which an unresponsive thread is replaced, and the editor told to retry. */
const MOST_MS = 60_000;
const MEGABYTES = 512;

/** Runs in the thread. */
export function outlineOf(updates: readonly Uint8Array[]): Outline {
  const before = threadMs();
  const doc = docOf(...updates);
  const [update, vector, size] = [Y.encodeStateAsUpdate(doc), Y.encodeStateVector(doc), sizeOf(doc)];
  const deletions = deletionsOf(decoded(update));
  return { update, vector, size, deletions, processorMs: threadMs() - before };
}

const inTurn = gate(1, Number.POSITIVE_INFINITY);
let thread: Worker | null = null;
const start = () =>
  new Worker(new URL("./outline-thread.ts", import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
  });

/** Must not run concurrently, because answers carry no id. */
async function outlineInThread(updates: readonly Uint8Array[]): Promise<Outline> {
  thread ??= start();
  const worker = thread;
  worker.ref();
  const { promise, resolve, reject } = Promise.withResolvers<Outline>();
  const ended = () => reject(new Error("the thread that decodes texts has ended"));
  const late = setTimeout(() => reject(new Refusal("overloaded", { retry_after: 1 })), MOST_MS);
  worker.on("message", resolve).on("error", reject).on("exit", ended).postMessage(updates);
  try {
    return await promise;
  } catch (error) {
    thread = null;
    void worker.terminate();
    throw error;
  } finally {
    clearTimeout(late);
    worker.off("message", resolve).off("error", reject).off("exit", ended).unref();
  }
}

/** Returns null for a small text, which the caller decodes itself. */
export async function outlineOfStored(workspaceId: string, updates: readonly Uint8Array[]): Promise<Outline | null> {
  const bytes = updates.reduce((sum, { length }) => sum + length, 0);
  return bytes <= SMALL ? null : inTurn(workspaceId, () => outlineInThread(updates));
}
