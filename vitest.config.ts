import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findChromium } from "./scripts/chromium.mjs";
import { findClamd } from "./scripts/clamd.mjs";
import { findGit } from "./scripts/git.mjs";
import { findProxy } from "./scripts/proxies.mjs";

/** Begun first, so that the workers end together. A fresh clone has no record of durations, and goes by the size of a file. */
const longest = [
  "server/test/contract.test.ts",
  "server/test/operate-walk.test.ts",
  "server/test/explain.test.ts",
  "server/test/generated.test.ts",
  "bench/chaos/chaos.test.ts",
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
    include: ["{cli,client,contract,document,server,web,bench,examples,scripts}/**/*.test.ts"],
    // Without a browser, clamd, git, nginx, Caddy or PgBouncer, these are left out, and npm test says at its end how to get one.
    exclude: [
      "**/node_modules/**",
      ...(findChromium() ? [] : ["**/*.browser.test.ts"]),
      ...(findClamd() ? [] : ["**/*.clamd.test.ts"]),
      ...(findGit() ? [] : ["**/*.git.test.ts", "**/*.git.browser.test.ts"]),
      ...(["nginx", "caddy", "pgbouncer"] as const)
        .filter((name) => !findProxy(name))
        .map((name) => `**/*.${name}.test.ts`),
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
