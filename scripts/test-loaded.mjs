// npm run test:loaded: runs tests next to four busy processes, to find those that depend on speed. Without arguments it
// runs npm test three times and test:all once; `npm run test:loaded -- tasks` runs these test files once. Reports each
// run, and fails if one of them failed.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { install, root } from "./install.mjs";

const BUSY = 4;
/** Computes in slices of 200 ms, so that it notices when this process exits, in whatever way, and exits too. */
const COMPUTE = `
  process.on("disconnect", () => process.exit());
  setInterval(() => { for (const end = Date.now() + 200; Date.now() < end; ); }, 0);`;

const given = process.argv.slice(2);
const runs = given.length > 0 ? [["test.mjs", ...given]] : [["test.mjs"], ["test.mjs"], ["test.mjs"], ["test-all.mjs"]];

await install({ development: true });
const busy = Array.from({ length: BUSY }, () =>
  spawn(process.execPath, ["-e", COMPUTE], { stdio: ["ignore", "ignore", "ignore", "ipc"] }),
);
let current;
const end = () => {
  for (const child of [...busy, current]) child?.kill();
};
process.on("exit", end);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

/** Resolves to a line that reports the run. */
function run([script, ...rest]) {
  const began = performance.now();
  current = spawn(process.execPath, [join(root, "scripts", script), ...rest], { cwd: root, stdio: "inherit" });
  return new Promise((resolve) => {
    current.on("close", (status) => {
      const seconds = Math.round((performance.now() - began) / 1000);
      resolve({ passed: status === 0, line: `${[script, ...rest].join(" ")}: ${seconds} s` });
    });
  });
}

const results = [];
for (const command of runs) results.push(await run(command));
console.log(`\n=== beside ${BUSY} busy processes`);
for (const { passed, line } of results) console.log(`${passed ? "passed" : "FAILED"}  ${line}`);
process.exit(results.every(({ passed }) => passed) ? 0 : 1);
