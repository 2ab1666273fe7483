// Runs operations on contents in worker threads: 262,144 characters take a second and more, which must not block
// others. Small tasks have threads of their own, large ones a few others. Both queues are bounded and shared fairly
// between Workspaces.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { MOST_MARKDOWN } from "@svc/contract/types.ts";
import { gate } from "../../../platform/wire/limits/concurrency-limit.ts";
import { Refusal, refuse, refuseAt } from "../../../platform/wire/problem.ts";
import type { Side } from "./comparison.ts";
import type { Forms, FormTasks, Meant } from "./forms.ts";
import type { Edit } from "./patch-rules.ts";

/**
 * Milliseconds after which an unresponsive thread is replaced and its caller told to retry. The limits of contents stop
 * every task far earlier, so that time never decides whether a content is valid.
 */
const MOST_MS = 60_000;
const MOST_WAITING = 100;
const MEGABYTES = 512;
/** Number of characters up to which a task is small: it takes some milliseconds, and never waits for a large one. */
const SMALL = 16_384;
/** Threads for small tasks. One Workspace never uses both, so that its slowest texts do not delay others. */
const SMALL_AT_ONCE = 2;

interface Told {
  /** The thread has loaded its modules. */
  ready?: true;
  result?: unknown;
  invalid?: { pointer: string; message: string; complex: boolean };
}

interface Lane {
  atOnce: number;
  mostWaiting: number;
  mostMs: number;
}
/** A few threads and their queue. */
function openLane({ atOnce, mostWaiting, mostMs }: Lane) {
  // The gate reserves one of several threads for other Workspaces.
  const inTurn = gate(atOnce, mostWaiting, undefined, Math.max(1, atOnce - 1));
  const idle: Worker[] = [];
  const start = () =>
    new Worker(new URL("./worker.ts", import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
    });

  const once = (name: keyof FormTasks, values: readonly unknown[]) =>
    new Promise<Told>((resolve, reject) => {
      const worker = idle.pop() ?? start();
      worker.ref();
      const done = () => {
        clearTimeout(timer);
        worker.off("message", answered).off("error", failed).off("exit", ended);
      };
      const answered = (told: Told) => {
        if (told.ready) return;
        done();
        // An idle thread must not keep the process alive.
        worker.unref();
        idle.push(worker);
        resolve(told);
      };
      const failed = (error: NodeJS.ErrnoException) => {
        done();
        reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? new Refusal("document_too_complex") : error);
      };
      const ended = () => failed(new Error("a thread that reads contents has ended"));
      const late = () => {
        done();
        worker.terminate().then(() => reject(new Refusal("overloaded", { retry_after: 5 })), reject);
      };
      const timer = setTimeout(late, mostMs);
      worker.on("message", answered).on("error", failed).on("exit", ended).postMessage({ name, values });
    });
  return {
    run: (share: string, name: keyof FormTasks, values: readonly unknown[]) => inTurn(share, () => once(name, values)),
    stop: async () => void (await Promise.all(idle.splice(0).map((worker) => worker.terminate()))),
  };
}

/** Number of characters that a task processes. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum, part) => sum + sizeOf(part), 0);
}

export function parsers({
  mostMs = MOST_MS,
  mostWaiting = MOST_WAITING,
  // Leaves one core to the event loop.
  atOnce = Math.max(1, Math.min(2, availableParallelism() - 1)),
} = {}) {
  const small = openLane({ atOnce: SMALL_AT_ONCE, mostWaiting, mostMs });
  const large = openLane({ atOnce, mostWaiting, mostMs });

  /** `share` names the queue share, which is the Workspace. */
  async function run<Name extends keyof FormTasks>(
    name: Name,
    values: Parameters<FormTasks[Name]>,
    pointer: string,
    share: string,
  ) {
    const lane = sizeOf(values) <= SMALL ? small : large;
    const { result, invalid } = await lane.run(share, name, values);
    if (invalid) {
      const at = name === "render" || name === "patch" ? pointer + invalid.pointer : pointer;
      if (invalid.complex) refuseAt(at, "document_too_complex", invalid.message);
      refuseAt(at, "invalid_request", invalid.message, "invalid_content");
    }
    return (result as ReturnType<FormTasks[Name]>) ?? refuse("document_too_complex");
  }
  const bounded = (forms: Forms) => {
    // Readers must be able to write the content back.
    if (forms.size > MOST_MARKDOWN) refuse("document_too_large");
    return forms;
  };

  return {
    /** Parses Markdown to a content. */
    parse: async (markdown: string, share = "") =>
      bounded(await run("parse", [markdown, true], "/body/markdown", share)),
    /** The same without limits, for a stored content. */
    parseAll: (markdown: string, share = "") => run("parse", [markdown, false], "", share),
    renderAll: (content: string, share = "") => run("render", [content, false], "", share),
    /** Renders a content, given as JSON text. */
    render: async (content: string, share = "") =>
      bounded(await run("render", [content, true], "/body/content", share)),
    /** Resolves the references of a content. */
    mean: async (content: string, meant: Meant, share = "") => bounded(await run("mean", [content, meant], "", share)),
    /**
     * Applies edits to a content, or rebases them onto a later one; `conflicts` are the edits that overlap with its
     * changes.
     */
    async patch(base: string, onto: string | null, edits: readonly Edit[], share = "") {
      // The result contains everything that edits insert, so that larger edits cannot fit.
      if (sizeOf(edits) > 2 * MOST_MARKDOWN) refuse("document_too_large");
      const made = await run("patch", [base, onto, edits], "/body/edits", share);
      return "conflicts" in made ? made : { ...made, forms: bounded(made.forms) };
    },
    compare: (from: Side<string>, to: Side<string>, share = "") => run("compare", [from, to], "", share),
    /** Ends idle threads; a busy one ends with its task. */
    stop: async () => void (await Promise.all([small.stop(), large.stop()])),
  };
}

/** Shared by this process, and ended with it. */
export const { parse, parseAll, render, renderAll, mean, patch, compare } = parsers();
