// npm run bench -- --only reads: five reads in a Workspace of 100,000 Tasks, one request at a time, with a database of
// its own. Their plans depend most on PostgreSQL's settings, so npm run bench:foreign measures them on one with its own
// defaults.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { foreignDatabase } from "./foreign-database.ts";
import { endAll, startService } from "./processes.ts";
import { median, printColumns } from "./table.ts";
import { type FilledTasks, fillTasks } from "./tasks-data.ts";

const TASKS = 100_000;
const [WARM, TIMES] = [10, 200];

const paths = ({ data, task }: FilledTasks): Record<string, string> => ({
  "a Task": `/tasks/${task.id}`,
  "50 Tasks of a Project": `/projects/${data.projectIds[0]}/tasks?limit=50`,
  "activity of the Workspace": `/workspaces/${data.workspaceId}/activity?limit=50`,
  "activity in groups": `/workspaces/${data.workspaceId}/activity/groups`,
  "overview of a Project": `/projects/${data.projectIds[0]}/overview`,
});

export async function measureReads(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const database = (await foreignDatabase()) ?? (await startEmbedded(directory));
  try {
    await migrate(database.url);
    const [filled] = (await fillTasks(database.url, [TASKS])) as [FilledTasks];
    const { port } = await startService(database.url, { ROLES: "api" });
    const headers = { cookie: `__Host-svc_session=${filled.data.people[0]?.session}` };
    const rows: string[][] = [];
    for (const [name, path] of Object.entries(paths(filled))) {
      const times: number[] = [];
      for (let n = -WARM; n < TIMES; n++) {
        const began = performance.now();
        const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers });
        const text = await response.text();
        if (!response.ok) throw new Error(`${path} answered ${response.status} ${text}`);
        if (n >= 0) times.push(performance.now() - began);
      }
      const p99 = times.toSorted((a, b) => a - b)[Math.floor(TIMES * 0.99)] as number;
      rows.push([name, median(times).toFixed(1), p99.toFixed(1)]);
    }
    printColumns([`${TASKS.toLocaleString("en")} Tasks`, "p50 ms", "p99 ms"], rows);
  } finally {
    await endAll();
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
