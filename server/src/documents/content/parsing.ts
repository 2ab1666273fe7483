// Contents away from the event loop: 262,144 characters take a second and more, which nobody else shall wait for. A few threads, a bounded line before them
// that Workspaces share, and a time limit: a thread that has not answered until then is ended, and the next task gets a new one.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { MOST_MARKDOWN } from "@svc/contract/types.ts";
import { gate } from "../../wire/gate.ts";
import { Refusal, refuse, refuseAt } from "../../wire/problem.ts";
import type { Side } from "./comparison.ts";
import type { Forms, Meant, Tasks } from "./forms.ts";
import type { Edit } from "./patch-rules.ts";

/** Ordinary text of the greatest length takes a second. Within the time of a request, so that what is made to be slow is told so. */
const MOST_MS = 8_000;
/** A new thread has so long to load what it needs. That is no fault of the text, so its time begins afterwards. */
const LOADING_MS = 8_000;
const MOST_WAITING = 100;
const MEGABYTES = 512;

interface Told {
  /** It has loaded what it needs. */
  ready?: true;
  result?: unknown;
  invalid?: { pointer: string; message: string };
}

export function parsers({
  mostMs = MOST_MS,
  mostWaiting = MOST_WAITING,
  // A core is left to the event loop.
  atOnce = Math.max(1, Math.min(2, availableParallelism() - 1)),
} = {}) {
  const inTurn = gate(atOnce, mostWaiting);
  const idle: Worker[] = [];
  const start = () =>
    new Worker(new URL("./worker.ts", import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
    });

  const once = (name: keyof Tasks, values: readonly unknown[]) =>
    new Promise<Told>((resolve, reject) => {
      const waiting = idle.pop();
      const worker = waiting ?? start();
      worker.ref();
      const done = () => {
        clearTimeout(timer);
        worker.off("message", answered).off("error", failed).off("exit", ended);
      };
      const answered = (told: Told) => {
        if (told.ready) {
          clearTimeout(timer);
          timer = setTimeout(late, mostMs);
          return;
        }
        done();
        // A process that has nothing else to do does not wait for it.
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
        worker.terminate().then(() => reject(new Refusal("document_too_complex")), reject);
      };
      let timer = setTimeout(late, waiting ? mostMs : LOADING_MS);
      worker.on("message", answered).on("error", failed).on("exit", ended).postMessage({ name, values });
    });

  /** `share`: whose it is in the line. */
  async function run<Name extends keyof Tasks>(
    name: Name,
    values: Parameters<Tasks[Name]>,
    pointer: string,
    share: string,
  ) {
    const { result, invalid } = await inTurn(share, () => once(name, values));
    if (invalid)
      refuseAt(
        name === "render" || name === "patch" ? pointer + invalid.pointer : pointer,
        "invalid_request",
        invalid.message,
        "invalid_content",
      );
    return (result as ReturnType<Tasks[Name]>) ?? refuse("document_too_complex");
  }
  const bounded = (forms: Forms) => {
    // Whoever reads it must be able to write it back.
    if (forms.size > MOST_MARKDOWN) refuse("document_too_large");
    return forms;
  };

  return {
    /** Markdown as a content. */
    parse: async (markdown: string, share = "") => bounded(await run("parse", [markdown], "/body/markdown", share)),
    /** The same of what was written together: it is kept, however long it has become. */
    parseAll: (markdown: string, share = "") => run("parse", [markdown], "", share),
    renderAll: (content: string, share = "") => run("render", [content], "", share),
    /** A content, as JSON text. */
    render: async (content: string, share = "") => bounded(await run("render", [content], "/body/content", share)),
    /** A content with what its references mean. */
    mean: async (content: string, meant: Meant, share = "") => bounded(await run("mean", [content, meant], "", share)),
    /** Edits of a content, or of the one that came after it; `conflicts` are those that overlap with what has changed. */
    async patch(base: string, onto: string | null, edits: readonly Edit[], share = "") {
      const made = await run("patch", [base, onto, edits], "/body/edits", share);
      return "conflicts" in made ? made : { ...made, forms: bounded(made.forms) };
    },
    compare: (from: Side<string>, to: Side<string>, share = "") => run("compare", [from, to], "", share),
    /** Ends the threads that do nothing; one at work ends with its task. */
    stop: async () => void (await Promise.all(idle.splice(0).map((worker) => worker.terminate()))),
  };
}

/** Of this process: they end with it. */
export const { parse, parseAll, render, renderAll, mean, patch, compare } = parsers();
