// npm test: types, lint and the other checks of the sources side by side, then the first tier of test files, if all checks passed.
// npm run test:all (--slow) runs the second tier alone. Files that are named (`npm test -- tasks`) run from both tiers and without the
// checks. Other arguments go to vitest.
import { install } from "./install.mjs";
import { printLeftOut, requirePrograms } from "./missing-programs.mjs";
import { checkSources, runTests, summary } from "./test-steps.mjs";

const OWN = ["--slow"];
const isSlowTier = process.argv.includes("--slow");
const given = process.argv.slice(2).filter((argument) => !OWN.includes(argument));

await install({ development: true });
requirePrograms();
if (isSlowTier) await runTests("slow tests", given, { TEST_TIER: "slow" });
else if (given.length > 0) await runTests("tests", given, {});
else {
  await checkSources({ all: true });
  await runTests("tests", [], { TEST_TIER: "first" });
}
printLeftOut();
console.log(`\n=== passed in ${summary()}`);
