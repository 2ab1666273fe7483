// npm run upgrade:try -- <version, tag or commit>: installs that version in a scratch directory, upgrades it to this
// one, rolls back, and upgrades again. At each step a person signs in, finds everything written so far, and writes
// more.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { account, settle, titlesIn, visitor } from "../server/test/visitor.ts";
import { root } from "./install.mjs";
import { releasedCommit } from "./released-commit.ts";

const [version] = process.argv.slice(2);
if (!version) {
  console.error("Name the version to upgrade from: npm run upgrade:try -- 0.10.0");
  process.exit(1);
}
const revision = releasedCommit(root, version);
if (!revision) {
  console.error(`${version} is not in this clone's history. In a shallow clone, run git fetch --unshallow first.`);
  process.exit(1);
}
const scratch = mkdtempSync(join(tmpdir(), "svc-upgrade-"));
chmodSync(scratch, 0o711);
const before = join(scratch, "before");
const titles: string[] = [];
let project = "";

/** Installs the version by the steps of docs/operate.md. */
function installBefore(): void {
  mkdirSync(before);
  const run = (line: string, cwd: string) =>
    execFileSync("sh", ["-e", "-c", line], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  run(`git archive ${revision} | tar -x -C ${before}`, root);
  run("npm install --no-save --ignore-scripts --no-audit --no-fund --omit=dev", before);
  run("npm run build", before);
}

async function withService(directory: string, work: (api: string) => Promise<void>): Promise<string> {
  const child = spawn(process.execPath, [join(directory, "scripts/start.mjs")], {
    cwd: directory,
    env: { ...process.env, PORT: "0", DATA_DIR: join(scratch, "data"), LOG_LEVEL: "warn", RATE_LIMITS: "off" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  const api = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const found = /API +(\S+)\s/.exec(said)?.[1];
      if (found) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`${directory} ended with ${code}`)));
  });
  try {
    await work(await api);
  } finally {
    const ended = new Promise((resolve) => (child.exitCode === null ? child.once("exit", resolve) : resolve(null)));
    child.kill("SIGTERM");
    await ended;
  }
  return said;
}

async function visit(api: string): Promise<void> {
  const ask = visitor(api);
  if (project === "") project = await settle(ask);
  else await ask("POST", "/auth/login", account);
  const found = await titlesIn(ask, project);
  if (`${found}` !== `${titles}`) throw new Error(`found ${found} and not ${titles}`);
  titles.push(`Task ${titles.length + 1}`);
  await ask("POST", `/projects/${project}/tasks`, { title: titles.at(-1) });
}

try {
  installBefore();
  for (const [name, directory] of [
    [version, before],
    ["this version", root],
    [version, before],
    ["this version", root],
  ]) {
    const said = await withService(directory as string, visit);
    console.log(
      `${name}: ${titles.length - 1} Tasks of before were there, and another was ` +
        `written.${/still works/.test(said) ? " It noted that the database is newer." : ""}`,
    );
  }
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
