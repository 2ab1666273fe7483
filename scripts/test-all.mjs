// npm run test:all: the second tier of tests, on top of npm test. Takes the same arguments; without any, it also runs
// explain on Debian's PostgreSQL with its own defaults.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findDebianPostgres, HOW_TO_GET_POSTGRES } from "./debian-postgres.mjs";
import { root } from "./install.mjs";

const isWhole = process.argv.length === 2;
process.argv.splice(2, 0, "--slow");
await import("./test.mjs");
if (isWhole && findDebianPostgres()) {
  const explain = [join(root, "scripts/foreign-postgres.mjs"), "server/test/explain.slow.test.ts"];
  process.exitCode = spawnSync(process.execPath, explain, { stdio: "inherit" }).status ?? 1;
} else if (isWhole) console.log(`\n=== LEFT OUT: explain on Debian's PostgreSQL; ${HOW_TO_GET_POSTGRES}`);
