import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { DurationsReporter } from "./scripts/durations-reporter.mjs";
import { missingPrograms } from "./scripts/missing-programs.mjs";
import { durationOf, workersFor } from "./scripts/test-durations.mjs";
import { TEST_FOLDERS, testFilesWith } from "./scripts/test-tiers.mjs";

const ALL = `{${TEST_FOLDERS.join(",")}}/**/*.test.ts`;
/** Set by scripts/test.mjs: "first" or "slow". Without it both tiers run. */
const tier = process.env.TEST_TIER;

/** The longest files start first, so that all workers end at about the same time. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const duration = durationOf();
    const ms = ({ moduleId }: TestSpecification) =>
      duration(relative(import.meta.dirname, moduleId).replaceAll("\\", "/"));
    return (await super.sort(files)).sort((a, b) => ms(b) - ms(a));
  }
}

export default defineConfig({
  test: {
    include: [tier === "slow" ? testFilesWith("slow") : ALL],
    // Test files whose program is not installed are left out; npm test prints at its end how to install it.
    exclude: [
      "**/node_modules/**",
      ...(tier === "first" ? [testFilesWith("slow")] : []),
      ...missingPrograms().map(({ name }) => testFilesWith(name)),
    ],
    globalSetup: "server/test/setup.ts",
    setupFiles: ["server/test/time-limits.ts", "server/test/assertion-rule.ts"],
    // Processes, not threads: to start a program takes the longer the more memory the process has that starts it (57 ms
    // with 2.5 GB, 1 ms with 50 MB).
    pool: "forks",
    maxWorkers: workersFor(),
    // Files share the modules of their worker: loading the service anew for each took a seventh of the whole run. A
    // test leaves nothing in them.
    isolate: false,
    // The default reporters depend on the terminal; they are replaced only to record durations.
    ...(process.env.RECORD_DURATIONS ? { reporters: ["default", new DurationsReporter()] } : {}),
    sequence: { sequencer: LongestFirst },
  },
});
