// npm test: everything that protects main, cheapest first. What only reads the sources runs at once, which halves its time on two
// cores, and what failed of it is told last (types in one thread each: with four, each checks much of the same, in twice the processor time); the tests run alone and only when all of that passed.
// Arguments go to vitest, and then it runs alone, at once: `npm test -- tasks` runs those test files and nothing around them.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { findChromium, HOW_TO_GET_ONE } from "./chromium.mjs";
import { findClamd, HOW_TO_GET_CLAMD } from "./clamd.mjs";
import { compiled } from "./compiled.mjs";
import { findGit, HOW_TO_GET_GIT } from "./git.mjs";
import { install, root } from "./install.mjs";
import { nodeProgram } from "./node-program.mjs";
import { findProxy, HOW_TO_GET_PROXIES } from "./proxies.mjs";
import { SHELLS, shellsHere } from "./shells.mjs";

await install({ development: true });
const PROXY = { variable: "PROXIES_REQUIRED", how: HOW_TO_GET_PROXIES };
/** Programs without which some tests are left out; in continuous integration none may be missing. */
const missing = [
  { variable: "BROWSER_REQUIRED", name: "browser", found: findChromium(), how: HOW_TO_GET_ONE },
  { variable: "CLAMD_REQUIRED", name: "clamd", found: findClamd(), how: HOW_TO_GET_CLAMD },
  { variable: "GIT_REQUIRED", name: "git", found: findGit(), how: HOW_TO_GET_GIT },
  ...["nginx", "caddy", "pgbouncer"].map((name) => ({ ...PROXY, name, found: findProxy(name) })),
].filter(({ found }) => !found);
for (const { variable, name, how } of missing) {
  if (!process.env[variable]) continue;
  console.error(`${variable} is set and there is no ${name}: ${how}`);
  process.exit(1);
}

const node = nodeProgram();
const named = process.argv.slice(2);
const program = (name, bin = name) => {
  const manifest = join(root, "node_modules", name, "package.json");
  const { bin: programs } = createRequire(import.meta.url)(manifest);
  return join(dirname(manifest), typeof programs === "string" ? programs : programs[bin]);
};

const readers = [
  { title: "types", command: [program("typescript", "tsc"), "-p", ".", "--singleThreaded"] },
  { title: "types of the pages", command: [program("typescript", "tsc"), "-p", "web", "--singleThreaded"] },
  { title: "lint and format", command: [program("@biomejs/biome", "biome"), "ci", "--error-on-warnings", "."] },
  { title: "nothing unused", command: [program("knip")] },
  {
    title: "OpenAPI document",
    needs: "docs/openapi.json",
    command: [program("@redocly/cli", "redocly"), "lint", "docs/openapi.json"],
  },
].filter(({ needs }) => named.length === 0 && (!needs || existsSync(join(root, needs))));
const tests = { title: "tests", command: [program("vitest"), "run", ...named] };

// The programs find the brought Node first, also for what they start themselves.
const env = {
  ...process.env,
  ...compiled(node),
  PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
};
const began = performance.now();
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const done = [];

/** Ends with what the program wrote, where it did not write it to the terminal itself. */
function run({ title, command }, stdio) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(node, command, { cwd: root, env, stdio: ["inherit", stdio, stdio] });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => output.push(chunk));
    child.on("error", reject);
    child.on("close", (status) => {
      done.push(`${title} ${seconds(start)}`);
      resolve({ title, passed: status === 0, output: Buffer.concat(output) });
    });
  });
}

function requirePassed(results) {
  const failed = results.filter(({ passed }) => !passed).map(({ title }) => title);
  if (failed.length === 0) return;
  console.error(`\n=== FAILED: ${failed.join(", ")}, after ${seconds(began)} (${done.join(", ")})`);
  process.exit(1);
}

const results = await Promise.all(readers.map((step) => run(step, "pipe")));
// What failed stands last, where it is seen.
for (const { title, output } of results.sort((a, b) => Number(b.passed) - Number(a.passed))) {
  console.log(`\n=== ${title}`);
  process.stdout.write(output);
}
requirePassed(results);
console.log(`\n=== ${tests.title}`);
requirePassed([await run(tests, "inherit")]);
for (const { name, how } of missing) console.log(`\n=== LEFT OUT for want of ${name}: every *.${name}.test.ts; ${how}`);
const shells = SHELLS.filter((name) => !shellsHere().includes(name));
if (shells.length > 0)
  console.log(`\n=== LEFT OUT for want of ${shells.join(", ")}: completion of svc in these shells; install them`);
console.log(`\n=== passed in ${seconds(began)}: ${done.join(", ")}`);
