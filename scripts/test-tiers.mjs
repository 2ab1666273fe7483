// The two tiers of test files: `x.slow.test.ts` belongs to the second (npm run test:all), every other test file to the first (npm test).
// vitest.config.ts, the setup of each test file and the selection for --changed share this definition.

/** Glob of the test files that carry this part in their name: `x.git.test.ts`, `x.slow.git.test.ts`. */
export const testFilesWith = (part) => `**/*.${part}.{test,*.test}.ts`;

/** @param {string} path */
export const isTestFile = (path) => /\.test\.tsx?$/.test(path);
/** @param {string} path */
export const isSlow = (path) => isTestFile(path) && /\.slow\./.test(path.slice(path.lastIndexOf("/") + 1));
