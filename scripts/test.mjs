// npm test: types, lint and the other checks of the sources concurrently, then the first tier of test files, if all
// checks passed. npm run test:all (--slow) checks the OpenAPI document and runs the second tier. Named files (`npm test
// -- tasks`) run from both tiers and without the checks. --changed runs types, lint and the tests that the difference
// from main can break (--changed=<revision>: from that revision). --record stores the durations of the files that ran.
// Other arguments go to vitest.
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { install, root } from "./install.mjs";
import { printLeftOut, requirePrograms } from "./missing-programs.mjs";
import { nodeProgram } from "./node-program.mjs";
import { storeDurations } from "./test-durations.mjs";
import { checkSources, runTests, summary } from "./test-steps.mjs";

const IS_OWN = /^--(?:slow|record|changed(?:=.*)?)$/;
const own = process.argv.slice(2).filter((argument) => IS_OWN.test(argument));
const given = process.argv.slice(2).filter((argument) => !IS_OWN.test(argument));
const isSlowTier = own.includes("--slow");
const isRecorded = own.includes("--record");
const changed = own.find((argument) => argument.startsWith("--changed"));
const env = isRecorded ? { RECORD_DURATIONS: "1" } : {};

/** Runs all files of a tier. */
async function runTier(tier, title) {
  const checks = await checkSources(tier);
  const tests = await runTests(title, [], { ...env, TEST_TIER: tier });
  const whole = { cores: availableParallelism(), checks: Math.round(checks), tests: Math.round(tests) };
  if (isRecorded) storeDurations({}, { [tier]: whole });
}

async function runChanged() {
  const base = changed.split("=").slice(1);
  // The selection is a TypeScript program, which the Node that runs this file may not support.
  const output = execFileSync(nodeProgram(), [join(root, "scripts/changed-files.ts"), ...base], { encoding: "utf8" });
  const { base: since, files, tests, leftOut, operations, needsBuild } = JSON.parse(output);
  const notRun = leftOut > 0 ? `; ${leftOut} that lie farther from the change are left to npm test` : "";
  console.log(`${files} files changed since ${since.slice(0, 8)}: ${tests.length} test files${notRun}`);
  await checkSources("changed");
  const narrowed = {
    ...(operations ? { SVC_CHANGED_OPERATIONS: JSON.stringify(operations) } : {}),
    ...(needsBuild ? {} : { SVC_UNBUILT: "1" }),
  };
  if (tests.length > 0) await runTests("tests", [...tests, ...given], { ...env, ...narrowed });
}

await install({ development: true });
requirePrograms();
if (changed) await runChanged();
else if (given.length > 0) await runTests("tests", given, isSlowTier ? { ...env, TEST_TIER: "slow" } : env);
else if (isSlowTier) await runTier("slow", "slow tests");
else await runTier("first", "tests");
printLeftOut();
console.log(`\n=== passed in ${summary()}`);
