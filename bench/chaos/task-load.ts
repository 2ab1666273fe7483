// The load process of a storm with several servers: writes of Tasks with keys in a Workspace of their own. At the end
// the ledger is compared with the database.
import { join } from "node:path";
import { check, type Verdict } from "./check.ts";
import type { LoadOrder, LoadReport, LoadTask } from "./load.ts";
import { endProcess, startProcess } from "./storm.ts";
import { makeWorld } from "./world.ts";

/** Time to finish open requests and to replay every unanswered one. */
const PATIENCE_MS = 60_000;

export async function loadTasks(
  databaseUrl: string,
  directory: string,
  size: Pick<LoadTask, "seed" | "lanes" | "pauseMs">,
) {
  const ledger = join(directory, "ledger.jsonl");
  const { workspaceId, headers } = await makeWorld(databaseUrl);
  const load = startProcess("load.ts", { ...size, ledger, workspaceId, headers } satisfies LoadTask);
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  let cut = 0;
  load.on("message", ({ event }: LoadReport) => {
    if (event === "cut") cut++;
    if (event === "done") resolve();
  });
  load.once("exit", (code) => reject(new Error(`load.ts ended with ${code}`)));
  // settle() reports the error, but may not be awaiting this promise yet.
  done.catch(() => {});
  const order = (message: LoadOrder) => void (load.connected && load.send(message));
  return {
    /** Number of requests cut by a kill. */
    cut: () => cut,
    /** Directs the load to this server; null: none is up. */
    route: (port: number | null) => order(port === null ? { order: "down" } : { order: "up", port }),
    async settle(): Promise<Verdict> {
      order({ order: "settle", patienceMs: PATIENCE_MS });
      const late = setTimeout(() => reject(new Error("the load did not settle")), 3 * PATIENCE_MS);
      await done.finally(() => clearTimeout(late));
      return check(databaseUrl, workspaceId, ledger);
    },
    end: () => endProcess(load),
  };
}
