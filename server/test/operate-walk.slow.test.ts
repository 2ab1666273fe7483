// The guide walked as an operator walks it, with real processes: the commands are taken from docs/operate.md, only
// paths and addresses are changed. One team's data goes through a backup that the worker makes, a new key, a move to
// another database, the loss of the database and the loss of every key.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../src/platform/database/embedded/address.ts";
import { runningEmbedded } from "../src/platform/database/embedded/postgres.ts";
import { EXIT } from "../src/platform/settings/config-error.ts";
import { emptyDatabase, run } from "./database.ts";
import { account, settle, titlesIn, visitor } from "./visitor.ts";

const { PATH, NODE_COMPILE_CACHE } = process.env;
const directory = mkdtempSync(join(tmpdir(), "svc-walk-"));
chmodSync(directory, 0o711);
const [dataDir, backups] = [join(directory, "data"), join(directory, "backups")];
const guide = readFileSync(resolve("docs/operate.md"), "utf8");
const started = new Set<ChildProcess>();
afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

/**
 * The commands of the guide under this name, as they stand there; `npm start` is the test's own. Ends with the settings
 * that they leave.
 */
async function walk(name: string, database = ""): Promise<{ DATA_DIR: string; DATABASE_URL: string }> {
  const lines = new RegExp(`<!-- tried: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
  expect(lines, name).not.toBe("");
  const script = lines
    .replaceAll("/var/lib/svc", dataDir)
    .replaceAll("/var/backups/svc", backups)
    .replaceAll("/root/svc-keys", join(directory, "kept-keys"))
    .replaceAll("postgresql://svc:secret@db.example.com/svc", `'${database}'`)
    .replace(/^npm start$/m, "");
  const { code, output } = await ended(`${script}\necho "$DATA_DIR $DATABASE_URL" > ${directory}/left`);
  expect(code, output).toBe(0);
  const [DATA_DIR = "", DATABASE_URL = ""] = readFileSync(join(directory, "left"), "utf8").trim().split(" ");
  return { DATA_DIR, DATABASE_URL };
}
function ended(script: string): Promise<{ code: number | null; output: string }> {
  const child = spawn("sh", ["-e", "-c", script], {
    env: { PATH, NODE_COMPILE_CACHE, HOME: directory, DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
    });
  return new Promise((done) => child.once("close", (code) => done({ code, output })));
}

interface Service {
  url: string;
  exit: Promise<number | null>;
  stop(): Promise<void>;
}
function start(env: NodeJS.ProcessEnv): Promise<Service> {
  const child = spawn(process.execPath, [resolve("scripts/start.mjs")], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: "0", LOG_LEVEL: "silent", DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  let [said, faults] = ["", ""];
  child.stderr.on("data", (chunk) => {
    faults += chunk;
  });
  const exit = new Promise<number | null>((done) => child.once("close", done));
  return new Promise((resolve, reject) => {
    exit.then((code) => reject(Object.assign(new Error(faults), { code })));
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const url = /API +(\S+)\/api\/v1[\s\S]*Data .*\n/.exec(said)?.[1];
      if (!url) return;
      const stop = async () => {
        child.kill("SIGTERM");
        expect(await exit, faults).toBe(EXIT.stopped);
      };
      resolve({ url, exit, stop });
    });
  });
}

let projectId = "";
const titlesAt = async ({ url }: Service): Promise<string[]> => {
  const ask = visitor(`${url}/api/v1`);
  await ask("POST", "/auth/login", account);
  return titlesIn(ask, projectId);
};

test("first the worker makes a backup by itself, and metric and /readyz?verbose say how old it is", async () => {
  const began = Date.now();
  const metricsPort = await freePort();
  const service = await start({ BACKUP_DIR: backups, BACKUP_EVERY: "5m", METRICS_PORT: String(metricsPort) });
  const ask = visitor(`${service.url}/api/v1`);
  projectId = await settle(ask);
  await ask("POST", `/projects/${projectId}/tasks`, { title: "Cut the gears" });
  // Unless the schedule has been quicker.
  expect(await (await fetch(`${service.url}/readyz?verbose`)).text()).toMatch(
    /backup: the last good one is (missing|\d+ minutes? old)$/,
  );
  // What the schedule does every minute.
  await run(runningEmbedded(dataDir) as string, "select graphile_worker.add_job('make_backup', '{}')");
  const made = () => (existsSync(backups) ? readdirSync(backups).filter((name) => /^svc-.*\.backup$/.test(name)) : []);
  // Wait: a pause between two looks.
  while (made().length === 0) await sleep(100);
  const said = await (await fetch(`${service.url}/readyz?verbose`)).text();
  expect(said).toMatch(/^ready\n[\s\S]*backup: the last good one is \d+ minutes? old$/);
  const sinceTheStart = () => (Date.now() - began) / 1000;
  expect(Number(/(\d+) minutes? old/.exec(said)?.[1])).toBeLessThanOrEqual(sinceTheStart() / 60);
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(Number(/^svc_backup_age_seconds (\S+)$/m.exec(metrics)?.[1])).toBeLessThanOrEqual(sinceTheStart());
  expect(readdirSync(backups)).toEqual(made());
  await service.stop();
  copyFileSync(join(dataDir, "keys"), join(directory, "kept-keys"));
});

test("a new key in front of the old one, and the move to a database of one's own: all is there under both keys", async () => {
  await walk("rotate");
  expect(readFileSync(join(dataDir, "keys"), "utf8").split(",")).toHaveLength(2);
  await walk("backup");
  await emptyDatabase(async (database) => {
    const settings = await walk("move", database);
    expect(settings.DATABASE_URL).toBe(database);
    const service = await start(settings);
    expect(await titlesAt(service)).toEqual(["Cut the gears"]);
    await service.stop();
    expect(existsSync(join(settings.DATA_DIR, "postgres"))).toBe(false);
  });
});

test("the database is gone: the newest backup and the kept keys bring it back", async () => {
  rmSync(join(dataDir, "postgres"), { recursive: true });
  const { DATA_DIR } = await walk("gone");
  expect(DATA_DIR).toBe(`${dataDir}-again`);
  const service = await start({ DATA_DIR });
  expect(await titlesAt(service)).toEqual(["Cut the gears"]);
  await service.stop();
});

test("every key is lost: the start says so in one line, and after the steps of the guide people get in again", async () => {
  const again = `${dataDir}-again`;
  rmSync(join(again, "keys"));
  const refusal = await start({ DATA_DIR: again }).catch((error) => error);
  expect(refusal.code).toBe(EXIT.configuration);
  expect(refusal.message).toMatch(
    /^DATA_DIR: [^\n]* has a database and no key file [^\n]*; restore it from your backup\n$/,
  );
  const lost = /<!-- tried: lost -->\n```sh\n([\s\S]*?)npm start\n```/.exec(guide)?.[1] ?? "";
  const { code, output } = await ended(`export DATA_DIR=${again}\n${lost.replaceAll("/var/lib/svc", again)}`);
  expect(code, output).toBe(0);
  const service = await start({ DATA_DIR: again });
  expect(await titlesAt(service)).toEqual(["Cut the gears"]);
  await service.stop();
});
