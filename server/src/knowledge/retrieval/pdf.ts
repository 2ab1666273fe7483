// The text of a PDF. Whatever a PDF is made to do, it does it in a thread of its own, with little memory and not for long; then the thread is ended. One at a time.
import { Worker } from "node:worker_threads";
import type { PdfText } from "./pdf-thread.ts";

const MOST_MS = 20_000;
const MOST_MB = 256;
/** As much of the text as anybody reads, in characters: what comes after it is not looked at. */
const MOST_TEXT = 1024 * 1024;
const MOST_PAGES = 500;

let last: Promise<unknown> = Promise.resolve();
/** null where it is none, is damaged or locked, has no text, or takes too much. */
export function textOfPdf(bytes: Uint8Array, ms = MOST_MS): Promise<string | null> {
  const read = last.then(() => readBeside(bytes, ms));
  last = read;
  return read;
}

function readBeside(bytes: Uint8Array, ms: number): Promise<string | null> {
  return new Promise((resolve) => {
    const limits = { maxOldGenerationSizeMb: MOST_MB, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
    const worker = new Worker(new URL("./pdf-thread.ts", import.meta.url), {
      ...{ execArgv: [], stdout: true, stderr: true, resourceLimits: limits },
      workerData: { bytes: new Uint8Array(bytes), pages: MOST_PAGES, text: MOST_TEXT },
    });
    const end = (text: string | null) => {
      clearTimeout(late);
      worker.removeAllListeners();
      // Ended with too much memory, it says so once more.
      worker.on("error", () => {});
      void worker.terminate().then(() => resolve(text));
    };
    const late = setTimeout(() => end(null), ms);
    worker.on("message", ({ text }: PdfText) => end(text));
    worker.on("error", () => end(null)).on("exit", () => end(null));
  });
}
