import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { missingPrograms } from "./scripts/missing-programs.mjs";
import { testFilesWith } from "./scripts/test-tiers.mjs";

const ALL = "{cli,client,contract,document,server,web,bench,examples,scripts}/**/*.test.ts";
/** Set by scripts/test.mjs: "first" or "slow". Without it both tiers run. */
const tier = process.env.TEST_TIER;

/** Begun first, so that the workers end together. A fresh clone has no record of durations, and goes by the size of a file. */
const longest = [
  "server/test/contract.test.ts",
  "server/test/operate-walk.slow.test.ts",
  "server/test/explain.test.ts",
  "server/test/generated.slow.test.ts",
  "bench/chaos/chaos.slow.test.ts",
  "server/test/hidden.test.ts",
  "server/test/start.test.ts",
  "server/src/backup/commands.test.ts",
  "cli/test/work.test.ts",
  "server/src/repository/killed.git.test.ts",
  "server/src/repository/sync.git.test.ts",
  "server/test/role-matrix.test.ts",
  "document/src/round-trip.test.ts",
  "server/src/repository/conflicts.git.test.ts",
  "server/src/backup/backup.test.ts",
  "server/src/collaboration/texts.test.ts",
  "server/src/activity/groups-paging.test.ts",
  "server/test/realtime-histories.test.ts",
  "server/test/capabilities.test.ts",
  "server/src/repository/states.git.test.ts",
  "web/test/editor.browser.test.ts",
  "cli/test/bulk.test.ts",
  "server/src/backup/schedule.test.ts",
  "cli/test/agents.test.ts",
  "web/test/look.browser.test.ts",
  "server/src/repository/git/git.git.test.ts",
  "server/src/database/embedded-portable.test.ts",
  "server/src/collaboration/sockets.test.ts",
  "cli/test/refusals.test.ts",
  "client/build/pack.test.ts",
  "web/test/documents.browser.test.ts",
  "web/test/task.browser.test.ts",
  "cli/test/getting-in.test.ts",
  "server/test/operate.test.ts",
  "cli/test/completion.test.ts",
  "web/test/invitation.browser.test.ts",
  "server/src/mcp/killed.test.ts",
  "server/src/changes/killed.test.ts",
  "web/test/board.browser.test.ts",
  "server/test/dead-connections.test.ts",
  "server/test/behind.nginx.test.ts",
  "server/test/behind.caddy.test.ts",
  "server/test/undoable.test.ts",
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turn = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}`));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).sort((a, b) => turn(a) - turn(b));
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
    // Processes, not threads: to start a program takes the longer the more memory the process has that starts it (57 ms with 2.5 GB, 1 ms with 50 MB).
    pool: "forks",
    // Twice as many as there are cores where there are two: a test that waits for a browser, a process or the database leaves its core to others.
    maxWorkers: 4,
    // Files share the modules of their worker: loading the service anew for each took a seventh of the whole run. A test leaves nothing in them.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Only for what hangs: beside three others, and on a slow machine, anything takes its time. No test has a shorter limit of its own but where it is the rule.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 50 } },
  },
});
