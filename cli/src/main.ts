// The entry point of the program `svc`: runs its command line in this process.
import { runSvc } from "./program.ts";
import { processRuntime } from "./runtime.ts";

// A reader that closes the pipe early has read enough.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });

// Not process.exit: what was written must get out first.
process.exitCode = await runSvc(process.argv.slice(2), processRuntime());
