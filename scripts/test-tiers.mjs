// The two tiers of test files: `x.slow.test.ts` belongs to the second (npm run test:all), every other test file to the
// first (npm test). vitest.config.ts, the setup of each test file and the selection for --changed share this
// definition.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

export const TEST_FOLDERS = ["bench", "cli", "client", "contract", "document", "examples", "scripts", "server", "web"];

/** Glob of the test files that carry this part in their name: `x.git.test.ts`, `x.slow.git.test.ts`. */
export const testFilesWith = (part) => `**/*.${part}.{test,*.test}.ts`;

/** @param {string} path */
export const isTestFile = (path) => path.endsWith(".test.ts");
/** @param {string} path */
export const isSlow = (path) => /\.slow\.(?:[^/]+\.)?test\.ts$/.test(path);

/** All test files of the tree, with `/` between folders. */
export const allTestFiles = () =>
  TEST_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .filter((path) => isTestFile(path) && !path.includes("/node_modules/")),
  ).sort();
