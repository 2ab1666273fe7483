import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{contract,server,web,bench,scripts}/**/*.test.ts"],
    globalSetup: "server/test/setup.ts",
    pool: "threads",
    maxWorkers: 2,
    // Files share the modules of their worker: loading the service anew for each took a seventh of the whole run. A test leaves nothing in them.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
