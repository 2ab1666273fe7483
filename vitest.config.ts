import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{contract,server,web,bench,scripts}/**/*.test.ts"],
    globalSetup: "server/test/setup.ts",
    pool: "threads",
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
