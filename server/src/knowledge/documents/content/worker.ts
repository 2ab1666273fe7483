// Worker thread for operations on contents: runs one task at a time.
import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { InvalidContent, TooComplex } from "@svc/document/document.ts";
import { tasks } from "./forms.ts";

// Requests and the database take precedence if cores are scarce. Only Linux gives a thread a priority of its own.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on("message", ({ name, values }: { name: keyof typeof tasks; values: never[] }) => {
  try {
    parentPort?.postMessage({ result: (tasks[name] as (...values: never[]) => unknown)(...values) });
  } catch (error) {
    if (error instanceof InvalidContent)
      parentPort?.postMessage({
        invalid: { pointer: error.pointer, message: error.message, complex: error instanceof TooComplex },
      });
    // Content nested so deeply that it exhausts the stack is refused as too complex.
    else if (error instanceof RangeError) parentPort?.postMessage({ result: undefined });
    else throw error;
  }
});
parentPort?.postMessage({ ready: true });
