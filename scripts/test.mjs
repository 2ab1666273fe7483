// npm test: everything that protects main, cheapest first, stopping at the first failure.
// Arguments go to vitest: `npm test -- tasks` runs the whole list with only those test files.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { install, nodeProgram, root } from "./install.mjs";

install();

const node = nodeProgram();
const program = (name, bin = name) => {
  const manifest = join(root, "node_modules", name, "package.json");
  const { bin: programs } = createRequire(import.meta.url)(manifest);
  return join(dirname(manifest), typeof programs === "string" ? programs : programs[bin]);
};

const steps = [
  { title: "types", command: () => [program("typescript", "tsc"), "-p", "."] },
  { title: "types of the pages", command: () => [program("typescript", "tsc"), "-p", "web"] },
  { title: "lint and format", command: () => [program("@biomejs/biome", "biome"), "ci", "--error-on-warnings", "."] },
  { title: "tests", command: () => [program("vitest"), "run", ...process.argv.slice(2)] },
  { title: "nothing unused", command: () => [program("knip")] },
  {
    title: "OpenAPI document",
    needs: "docs/openapi.json",
    command: () => [program("@redocly/cli", "redocly"), "lint", "docs/openapi.json"],
  },
];

const began = performance.now();
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const done = [];

for (const { title, needs, command } of steps) {
  if (needs && !existsSync(join(root, needs))) continue;
  console.log(`\n=== ${title}`);
  const start = performance.now();
  // The programs find the brought Node first, also for what they start themselves.
  const env = {
    ...process.env,
    PATH: `${dirname(node)}:${process.env.PATH}`,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
  const { status } = spawnSync(node, command(), { cwd: root, env, stdio: "inherit" });
  done.push(`${title} ${seconds(start)}`);
  if (status !== 0) {
    console.error(`\n=== FAILED: ${title}, after ${seconds(began)} (${done.join(", ")})`);
    process.exit(1);
  }
}
console.log(`\n=== passed in ${seconds(began)}: ${done.join(", ")}`);
