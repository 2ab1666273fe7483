// One vitest serves a whole run: the database and the transformed modules stay ready, and each mutant gets a new
// worker. The mutant exists only in the text that this vitest loads: no file is written. Temporary files of tests are
// removed at the end, or by the next run.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { createVitest, type Reporter, type TestCase, type TestModule, type Vitest } from "vitest/node";
import type { Covering } from "./covering-tests.ts";
import { applied, type Mutant } from "./mutant.ts";
import { root } from "./references.ts";

export interface TestOutcome {
  state: "passed" | "failed" | "timed out";
  /** The test that failed, or the file that could not be loaded. */
  test?: string;
  file?: string;
  message?: string;
  /** Files all of whose tests passed. */
  passed: string[];
  seconds: number;
}
export interface WarmTests {
  /** Runs test files in the given order until a test fails, for this many seconds after the first file is loaded. */
  run(files: readonly Covering[], mutant: Mutant | undefined, seconds: number): Promise<TestOutcome>;
  close(): Promise<void>;
}

/** A worker that has not stopped after this time is killed. */
const GRACE_MS = 5000;
/** The first run starts the database; a worker takes longer to start on a busy machine. */
const START_MS = 180_000;
const PREFIX = "svc-mutants-";
const slashed = (path: string) => path.replaceAll("\\", "/");
const pathOf = (moduleId: string) => slashed(moduleId).slice(slashed(root).length + 1);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Gives this run a temporary directory of its own, which is removed when the process exits. */
function useOwnTemporaryDirectory(): void {
  const parent = tmpdir();
  for (const name of readdirSync(parent).filter((each) => each.startsWith(PREFIX)))
    if (!isRunning(Number(name.slice(PREFIX.length)))) rmSync(join(parent, name), { recursive: true, force: true });
  const directory = join(parent, `${PREFIX}${process.pid}`);
  // PostgreSQL may run as another user.
  mkdirSync(directory, { mode: 0o711 });
  for (const name of ["TMPDIR", "TMP", "TEMP"]) process.env[name] = directory;
  process.once("exit", () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
}

export async function startTests(): Promise<WarmTests> {
  useOwnTemporaryDirectory();
  process.env.NODE_OPTIONS =
    `${process.env.NODE_OPTIONS ?? ""} ` + `--import=${new URL("loaded-mutant.ts", import.meta.url)}`;
  let mutant: Mutant | undefined;
  let output = "";
  let failure: Pick<TestOutcome, "test" | "file" | "message"> | undefined;
  let passed: string[] = [];
  let vitest: Vitest;
  const fail = (module: TestModule, test: string, errors: readonly { message?: string }[]) => {
    if (failure) return;
    failure = { test, file: pathOf(module.moduleId), message: errors.map(({ message }) => message ?? "").join("; ") };
    void vitest.cancelCurrentRun("test-failure");
  };
  let started = () => {};
  const reporter: Reporter = {
    onTestModuleQueued: () => started(),
    onTestCaseResult(test: TestCase) {
      const result = test.result();
      if (result.state === "failed") fail(test.module, test.fullName, result.errors);
    },
    onTestModuleEnd(module: TestModule) {
      if (module.state() === "failed") fail(module, "", module.errors());
      else if (module.state() === "passed") passed.push(pathOf(module.moduleId));
    },
  };
  const sink = new Writable({
    write(chunk, _encoding, done) {
      output = (output + String(chunk)).slice(-100_000);
      done();
    },
  });
  const options = {
    root,
    watch: false,
    maxWorkers: 1,
    fileParallelism: false,
    reporters: [reporter],
    // Otherwise a mutated module would be cached, and served to the next run of the tests.
    fsModuleCache: false,
    // Nearest first, in the given order.
    sequence: { sequencer: InGivenOrder },
  };
  vitest = await createVitest(
    "test",
    options,
    {
      plugins: [
        {
          name: "svc-mutant",
          enforce: "pre",
          transform: (text, id) =>
            mutant && slashed(id.split("?")[0] ?? "").endsWith(`/${mutant.path}`)
              ? { code: applied(text, mutant), map: null }
              : undefined,
        },
      ],
    },
    { stdout: sink, stderr: sink },
  );
  await vitest.standalone();
  const project = vitest.getRootProject();

  return {
    async run(files, changed, seconds) {
      mutant = changed;
      // Each run starts a new worker, which inherits the variable.
      process.env.SVC_MUTANT = mutant ? JSON.stringify(mutant) : "";
      if (mutant) vitest.invalidateFile(slashed(join(root, mutant.path)));
      [output, failure, passed] = ["", undefined, []];
      vitest.state.filesMap.clear();
      const began = performance.now();
      let isLate = false;
      const specifications = files.map(({ file, names }) =>
        project.createSpecification(slashed(join(root, file)), names && { testNamePattern: names }),
      );
      const stop = () => {
        isLate = true;
        void vitest.cancelCurrentRun("keyboard-input");
      };
      let limit = setTimeout(stop, seconds * 1000 + START_MS);
      started = () => {
        clearTimeout(limit);
        limit = setTimeout(stop, seconds * 1000);
        started = () => {};
      };
      const force = setInterval(() => {
        if (isLate || failure) void vitest.cancelCurrentRun("keyboard-input");
      }, GRACE_MS);
      try {
        const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
        const [unhandled] = unhandledErrors as { message?: string }[];
        if (!failure && !isLate && unhandled) failure = { test: "", message: unhandled.message ?? String(unhandled) };
      } finally {
        clearTimeout(limit);
        clearInterval(force);
        if (mutant) vitest.invalidateFile(slashed(join(root, mutant.path)));
        mutant = undefined;
        // Failing tests are a result of this program, not its failure.
        process.exitCode = 0;
      }
      const took = { passed, seconds: Math.round((performance.now() - began) / 100) / 10 };
      if (failure) return { state: "failed", ...failure, message: `${failure.message}\n${output}`, ...took };
      return { state: isLate ? "timed out" : "passed", ...took };
    },
    async close() {
      // The second call stops a worker in the middle of a test.
      for (let times = 0; times < 2; times++) void vitest.cancelCurrentRun("keyboard-input");
      await vitest.close();
    },
  };
}

class InGivenOrder {
  async shard<T>(files: T): Promise<T> {
    return files;
  }
  async sort<T>(files: T): Promise<T> {
    return files;
  }
}
