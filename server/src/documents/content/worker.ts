// The thread in which contents are read, written and compared: one task at a time, as it is told.
import { parentPort } from "node:worker_threads";
import { InvalidContent } from "@svc/document/document.ts";
import { tasks } from "./forms.ts";

parentPort?.on("message", ({ name, values }: { name: keyof typeof tasks; values: never[] }) => {
  try {
    parentPort?.postMessage({ result: (tasks[name] as (...values: never[]) => unknown)(...values) });
  } catch (error) {
    if (error instanceof InvalidContent)
      parentPort?.postMessage({ invalid: { pointer: error.pointer, message: error.message } });
    // What nests so deep that it ends the stack is refused like what takes too long.
    else if (error instanceof RangeError) parentPort?.postMessage({ result: undefined });
    else throw error;
  }
});
parentPort?.postMessage({ ready: true });
