// The programs that npm test starts: checks of the sources, and vitest. A failed step ends the run.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { compiled } from "./compiled.mjs";
import { root } from "./install.mjs";
import { nodeProgram } from "./node-program.mjs";

function program(name, bin = name) {
  const manifest = join(root, "node_modules", name, "package.json");
  const { bin: programs } = createRequire(import.meta.url)(manifest);
  return join(dirname(manifest), typeof programs === "string" ? programs : programs[bin]);
}

/**
 * Checks types in one thread: four threads repeat work and take twice the processor time. The compiler caches its
 * results per file and checks only the files that a change affects: 5 s of processor time instead of 20 for a tree
 * without changes.
 */
const types = (project, name) => [
  ...[program("typescript", "tsc"), "-p", project, "--singleThreaded", "--incremental"],
  ...["--tsBuildInfoFile", join(root, "node_modules/.cache/types", `${name}.tsbuildinfo`)],
];
const typesAndLint = () => [
  { title: "types", command: types(".", "programs") },
  { title: "types of the pages", command: types("web", "pages") },
  { title: "lint and format", command: [program("@biomejs/biome", "biome"), "ci", "--error-on-warnings", "."] },
];
// The cache of parsed files saves 4 of 6 s of processor time.
const unused = () => [{ title: "nothing unused", command: [program("knip"), "--cache"] }];
const openApi = () => [
  { title: "OpenAPI document", command: [program("@redocly/cli", "redocly"), "lint", "docs/openapi.json"] },
];
/** The checks of each tier, and those of a change. */
const CHECKS = { first: () => [...typesAndLint(), ...unused()], slow: openApi, changed: typesAndLint };

const began = performance.now();
const seconds = (since) => (performance.now() - since) / 1000;
const done = [];
export const summary = () => `${seconds(began).toFixed(1)} s: ${done.join(", ")}`;

/** Puts the installed Node first on the PATH of the steps, and so of the programs that they start. */
function environment(node) {
  return {
    ...process.env,
    ...compiled(node),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
}

/** Resolves to the status and, unless the step inherits the terminal, to the output. */
function run({ title, command, env }, stdio) {
  const start = performance.now();
  const node = nodeProgram();
  return new Promise((resolve, reject) => {
    const child = spawn(node, command, {
      cwd: root,
      env: { ...environment(node), ...env },
      stdio: ["inherit", stdio, stdio],
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => output.push(chunk));
    child.on("error", reject);
    child.on("close", (status) => {
      done.push(`${title} ${seconds(start).toFixed(1)} s`);
      resolve({ title, passed: status === 0, output: Buffer.concat(output) });
    });
  });
}

function requirePassed(results) {
  const failed = results.filter(({ passed }) => !passed).map(({ title }) => title);
  if (failed.length === 0) return;
  console.error(`\n=== FAILED: ${failed.join(", ")}, after ${summary()}`);
  process.exit(1);
}

/**
 * Checks the sources concurrently, which halves the time on two cores. Failures are printed last. Returns the seconds.
 */
export async function checkSources(of) {
  const start = performance.now();
  const results = await Promise.all(CHECKS[of]().map((step) => run(step, "pipe")));
  for (const { title, output } of results.sort((a, b) => Number(b.passed) - Number(a.passed))) {
    console.log(`\n=== ${title}`);
    process.stdout.write(output);
  }
  requirePassed(results);
  return seconds(start);
}

/** Runs vitest with these arguments and variables. Returns the seconds. */
export async function runTests(title, args, env) {
  const start = performance.now();
  console.log(`\n=== ${title}`);
  requirePassed([await run({ title, command: [program("vitest"), "run", ...args], env }, "inherit")]);
  return seconds(start);
}
