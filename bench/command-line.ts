// npm run bench -- --only command-line: run time of `svc` with this Node and those in NODES (paths, separated by
// colons), in turns: doing nothing, printing its version, completing from its cache, and reading a Task. Targets: 150
// ms for the version, 300 for completion, and 250 plus the request for a read.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { buildCli } from "../cli/build/build.ts";
import { createClient } from "../client/src/client.ts";
import { csrfTokenOf } from "../server/src/platform/wire/ids.ts";
import type { Data } from "./data.ts";
import { median, printColumns } from "./table.ts";

const ROUNDS = 21;
const run = promisify(execFile);

export async function measureCommandLine(port: number, data: Data): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "svc-command-line-"));
  try {
    const svc = await buildCli(join(folder, "svc"));
    const url = `http://127.0.0.1:${port}`;
    const session = data.people[0]?.session ?? "";
    const headers = { cookie: `__Host-svc_session=${session}`, "x-csrf-token": csrfTokenOf(session) };
    const owner = createClient({ url, headers });
    const { token } = await owner.createApiToken({ name: "bench", scopes: ["svc:read"] });
    const { code } = await owner.getTask({ task_id: data.taskIds[0] as string });
    const env = { SVC_TOKEN: token, SVC_URL: url, SVC_CONFIG_DIR: join(folder, "config") };
    const lines: Record<string, string[]> = {
      "node -e 0": ["-e", "0"],
      "svc --version": [svc, "--version"],
      "svc complete": [svc, "complete", "2", "start", ""],
      "svc task view": [svc, "task", "view", code],
    };
    const rows: string[][] = [];
    for (const node of [process.execPath, ...(process.env.NODES ?? "").split(delimiter).filter(Boolean)]) {
      const { stdout: version } = await run(node, ["--version"]);
      const took = new Map(Object.keys(lines).map((name) => [name, [] as number[]]));
      for (let round = 0; round <= ROUNDS; round++)
        for (const [name, args] of Object.entries(lines)) {
          const began = performance.now();
          await run(node, args, { env });
          // The first round fills caches.
          if (round > 0) took.get(name)?.push(performance.now() - began);
        }
      rows.push([version.trim(), ...[...took.values()].map((times) => `${median(times).toFixed(0)} ms`)]);
    }
    console.log("\nThe command line, from start to end (median of 21):");
    printColumns(["Node", ...Object.keys(lines)], rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
