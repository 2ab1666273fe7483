// The entry point of the program `svc`: runs its command line in this process.
import { runSvc } from "./program.ts";
import { processRuntime } from "./runtime.ts";

// EPIPE means that the reader closed the pipe early; exit with success.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });

// Sets the exit code instead of calling process.exit, so that pending output is written.
process.exitCode = await runSvc(process.argv.slice(2), processRuntime());
