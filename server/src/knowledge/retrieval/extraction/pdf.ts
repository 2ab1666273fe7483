// Extracts the text of a PDF in a thread of its own, which is limited in memory and time and terminated afterwards. One
// PDF at a time.
import { Worker } from "node:worker_threads";
import type { PdfText } from "./pdf-thread.ts";

const MOST_MS = 20_000;
const MOST_MB = 256;
/** Number of characters read; the rest of the text is ignored. */
const MOST_TEXT = 1024 * 1024;
const MOST_PAGES = 500;

let last: Promise<unknown> = Promise.resolve();
/** Returns null if the file is no PDF, is damaged or encrypted, has no text, or exceeds a limit. */
export function textOfPdf(bytes: Uint8Array, ms = MOST_MS): Promise<string | null> {
  const read = last.then(() => readBeside(bytes, ms));
  last = read;
  return read;
}

function readBeside(bytes: Uint8Array, ms: number): Promise<string | null> {
  return new Promise((resolve) => {
    const limits = { maxOldGenerationSizeMb: MOST_MB, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
    const worker = new Worker(new URL("./pdf-thread.ts", import.meta.url), {
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: limits,
      workerData: { bytes: new Uint8Array(bytes), pages: MOST_PAGES, text: MOST_TEXT },
    });
    const end = (text: string | null) => {
      clearTimeout(late);
      worker.removeAllListeners();
      // A thread that ran out of memory emits another error when it is terminated.
      worker.on("error", () => {});
      void worker.terminate().then(() => resolve(text));
    };
    const late = setTimeout(() => end(null), ms);
    worker.on("message", ({ text }: PdfText) => end(text));
    worker.on("error", () => end(null)).on("exit", () => end(null));
  });
}
