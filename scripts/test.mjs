// npm test: types, lint and the other checks of the sources side by side, then the first tier of test files, if all checks passed.
// npm run test:all (--slow) runs the second tier alone. Files that are named (`npm test -- tasks`) run from both tiers and without the
// checks. --record stores the durations of the files that ran. Other arguments go to vitest.
import { availableParallelism } from "node:os";
import { install } from "./install.mjs";
import { printLeftOut, requirePrograms } from "./missing-programs.mjs";
import { storeDurations } from "./test-durations.mjs";
import { checkSources, runTests, summary } from "./test-steps.mjs";

const OWN = ["--slow", "--record"];
const [isSlowTier, isRecorded] = OWN.map((option) => process.argv.includes(option));
const given = process.argv.slice(2).filter((argument) => !OWN.includes(argument));
const env = isRecorded ? { RECORD_DURATIONS: "1" } : {};

/** Runs all files of a tier. */
async function runTier(tier, title) {
  const checks = tier === "first" ? await checkSources({ all: true }) : 0;
  const tests = await runTests(title, [], { ...env, TEST_TIER: tier });
  const whole = { cores: availableParallelism(), checks: Math.round(checks), tests: Math.round(tests) };
  if (isRecorded) storeDurations({}, { [tier]: whole });
}

await install({ development: true });
requirePrograms();
if (given.length > 0) await runTests("tests", given, isSlowTier ? { ...env, TEST_TIER: "slow" } : env);
else if (isSlowTier) await runTier("slow", "slow tests");
else await runTier("first", "tests");
printLeftOut();
console.log(`\n=== passed in ${summary()}`);
