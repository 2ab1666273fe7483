// npm run test:foreign -- FILES and npm run bench:foreign -- OPTIONS: tests and benchmarks on a PostgreSQL other than
// the embedded one: the oldest supported version in the installed Debian packages, with its defaults and a linguistic
// collation. Starts a cluster of its own on loopback and removes it.
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findDebianPostgres, HOW_TO_GET_POSTGRES } from "./debian-postgres.mjs";
import { root } from "./install.mjs";

const bin = findDebianPostgres();
if (bin === null) {
  console.error(`There is no PostgreSQL for these tests: ${HOW_TO_GET_POSTGRES}`);
  process.exit(1);
}
/** PostgreSQL refuses to run as root. */
const user = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
const ids = process.getuid?.() === 0 ? { uid: user("-u"), gid: user("-g") } : {};
/**
 * The cluster lives in memory if there is room: the rows of explain.slow.test.ts take 2 GB, and minutes on a busy disk.
 */
const MEMORY = "/dev/shm";
const ENOUGH = 4 * 1024 ** 3;
const hasRoom = ({ bavail, bsize }) => bavail * bsize > ENOUGH;
const directory = mkdtempSync(
  join(existsSync(MEMORY) && hasRoom(statfsSync(MEMORY)) ? MEMORY : tmpdir(), "svc-foreign-"),
);
if (ids.uid) chownSync(directory, ids.uid, ids.gid);
const data = join(directory, "data");
const run = (program, args) => execFileSync(join(bin, program), args, { ...ids, cwd: directory, stdio: "ignore" });
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

run("initdb", [
  "-D",
  data,
  "-A",
  "trust",
  "-U",
  "postgres",
  "-E",
  "UTF8",
  "--locale-provider=icu",
  "--icu-locale=en-US",
]);
run("pg_ctl", [
  "-D",
  data,
  "-w",
  "-l",
  join(directory, "log"),
  "-o",
  `-h 127.0.0.1 -p ${port} -k ${directory}`,
  "start",
]);
let status = 1;
try {
  const env = { ...process.env, TEST_DATABASE_URL: `postgresql://postgres@127.0.0.1:${port}/postgres` };
  // The cluster's 100 connections are enough for the services of one worker.
  const given = process.argv.slice(2);
  const measures = process.env.npm_lifecycle_event === "bench:foreign";
  const args = measures ? ["run", "bench", "--", ...given] : ["test", "--", ...given, "--maxWorkers=1"];
  status = spawnSync("npm", args, { cwd: root, env, stdio: "inherit" }).status ?? 1;
} finally {
  run("pg_ctl", ["-D", data, "-m", "immediate", "stop"]);
  rmSync(directory, { recursive: true, force: true });
}
process.exit(status);
