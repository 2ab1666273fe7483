// Cost of synchronising 5,000 files of a Git repository with a Workspace's Documents: the first time, with one changed
// file and without changes. The Git server is `git http-backend` on loopback, and the worker is a process of its own,
// so that its time and memory are measured alone.
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findGit, HOW_TO_GET_GIT } from "../scripts/git.mjs";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { newId } from "../server/src/platform/wire/ids.ts";
import { cloneOf, startGitServer } from "../server/test/git-server.ts";
import { fill } from "./data.ts";
import { ownerOn } from "./lifecycle.ts";
import { cpuOf, startService } from "./processes.ts";
import { printColumns } from "./table.ts";

const FILES = 5000;
const WORDS = Array.from({ length: 500 }, (_, at) => `word${(at * 7919) % 9973}`);
/** A text of about 3 kB. */
const textOf = (file: number) =>
  Array.from({ length: 12 }, (_, line) =>
    Array.from({ length: 40 }, (_, place) => WORDS[(file * 31 + line * 17 + place * place) % WORDS.length]).join(" "),
  ).join("\n\n");

export async function measureSync(): Promise<void> {
  if (findGit() === null) {
    console.log(`Synchronising with Git is left out, because there is no git here: ${HOW_TO_GET_GIT}.`);
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-sync-"));
  const server = await startGitServer();
  const database = await startEmbedded(directory);
  const url = server.create();
  const clone = cloneOf(server, url);
  try {
    await migrate(database.url);
    const data = await fill(database.url, [1], "GIT");
    const key = randomBytes(32);
    const env = { DATA_DIR: join(directory, "service"), SECRET_KEYS: `test:${key.toString("base64url")}` };
    const { port } = await startService(database.url, { ...env, ROLES: "api" });
    const worker = fork(new URL("../server/test/repository-worker.ts", import.meta.url), {
      env: { ...process.env, ...env, DATABASE_URL: database.url, GIT_ORIGIN: server.origin, KEY: key.toString("hex") },
    });
    let peak = 0;
    worker.on("message", (told: { peak?: number }) => {
      peak = Math.max(peak, told.peak ?? 0);
    });
    try {
      for (let at = 0; at < FILES; at++)
        clone.write(`d${at % 10}/e${at % 7}/file-${at}.md`, `# File ${at}\n\n${textOf(at)}\n`);
      clone.push();
      const ask = ownerOn(port, data);
      const path = "knowledge-repository";
      await ask("PUT", path, { url, credential: "a-token" });
      while (peak === 0) await sleep(50);
      const idle = peak;
      const rows: string[][] = [];
      const run = async (name: string) => {
        const [since, used] = [performance.now(), cpuOf(worker.pid as number)];
        const { id } = await ask<{ id: string }>("POST", `${path}/sync`, {}, { "idempotency-key": newId() });
        for (;;) {
          const { items } = await ask<{ items: Run[] }>("GET", `${path}/runs?limit=5`);
          const found = items.find((each) => each.id === id);
          if (found?.finished_at && found.state !== "succeeded")
            throw new Error(`the run ended as ${found.error_code}`);
          if (found?.finished_at) break;
          await sleep(100);
        }
        const seconds = (performance.now() - since) / 1000;
        const cpu = cpuOf(worker.pid as number) - used;
        rows.push([name, seconds.toFixed(1), cpu.toFixed(1), ((peak - idle) / 1e6).toFixed(0)]);
      };
      await run(`${FILES.toLocaleString("en")} files, the first time`);
      await run("unchanged");
      clone.pull();
      clone.write("d1/new.md", "New\n");
      clone.push();
      await run("one file more");
      printColumns(["", "seconds", "CPU s of the worker", "MB above idle"], rows);
    } finally {
      worker.kill("SIGKILL");
    }
  } finally {
    clone.remove();
    await server.close();
    await database.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

interface Run {
  id: string;
  state: string;
  finished_at: string | null;
  error_code: string | null;
}
