// npm run mutants: changes 40 lines of the service one at a time and runs the tests nearest to each, to find rules that
// no test covers. The source files are not modified. Results accumulate in results.json until 200 mutants are done.
// Options: `--help`.
import { statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Covering, coverageOf, escaped } from "./covering-tests.ts";
import { byId, type Mutant } from "./mutant.ts";
import { mutantsOf } from "./mutants-of.ts";
import { isTest, root, serverFiles } from "./references.ts";
import {
  chooseMutants,
  currentOf,
  type MutantResult,
  readResults,
  reportOf,
  resultOf,
  STATES,
  writeResults,
} from "./stored-results.ts";
import { startTests, type TestOutcome, type WarmTests } from "./warm-tests.ts";

const WANTED = 200;
const HELP = `npm run mutants -- [options]
  --count 40          mutants in this run
  --seed 7            chooses them; without it, the run continues after the stored results
  --seconds 20        limit of the tests of one mutant
  --only tasks/       mutants of files whose path contains this
  --again survived    runs stored mutants of this state again (or "timed out", killed, "not meaningful")
  --id 0123456789ab   runs one stored mutant again
  --equivalent "why"  with --id: stores that no test can kill it, and why
  --restart           forgets all results but those that are not meaningful
  --report            prints the stored results`;

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "40" },
    seed: { type: "string" },
    seconds: { type: "string", default: "20" },
    only: { type: "string", default: "" },
    again: { type: "string" },
    id: { type: "string" },
    equivalent: { type: "string" },
    restart: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const seconds = Number(options.seconds);

const files = serverFiles();
const isSource = (path: string) => /^server\/src\/.*\.ts$/.test(path) && !isTest(path) && !/operation-files/.test(path);
const mutants = byId(files.filter(({ path }) => isSource(path)).flatMap(({ path, text }) => mutantsOf(path, text)));
let results = currentOf(readResults(), mutants);
const save = () => writeResults(results);
const print = (lines: readonly string[]) => console.log(lines.join("\n"));

function chosenMutants(): Mutant[] {
  if (options.id) return [mutants.get(options.id)].filter((mutant) => mutant !== undefined);
  if (options.again)
    return Object.entries(results).flatMap(([id, { state }]) =>
      state === options.again ? [mutants.get(id) as Mutant] : [],
    );
  const done = Object.keys(results).length;
  const open = [...mutants.values()].filter(({ id, path }) => !results[id] && path.includes(options.only));
  return chooseMutants(open, options.seed ?? String(done), Math.min(Number(options.count), WANTED - done));
}

const MINUTE_MS = 60_000;
/**
 * Files edited later come first: a survivor runs again because somebody wrote a test for it. Files of one checkout keep
 * their order.
 */
function latestFirst(covering: readonly Covering[]): Covering[] {
  const edited = ({ file }: Covering) => Math.floor(statSync(join(root, file)).mtimeMs / MINUTE_MS);
  return covering.toSorted((one, other) => edited(other) - edited(one));
}

/** PostgreSQL's error for a statement that the change made invalid: the mutant is meaningless. */
const INVALID =
  /syntax error at or near|operator does not exist|function .* does not exist|must be type boolean|could not determine data type|invalid reference to FROM-clause|missing FROM-clause|specified more than once|must appear in the GROUP BY/;
/** Tests that have passed without a change on this machine. */
const proven = new Set<string>();

/** A failure counts only if the test passes without the change. */
async function failsAlone(tests: WarmTests, { file = "", test }: TestOutcome): Promise<boolean> {
  if (proven.has(file) || proven.has(`${file} ${test}`)) return false;
  const names = test ? new RegExp(`^${escaped(test.replaceAll(" > ", " "))}$`) : undefined;
  const single = names && (await tests.run([{ file, names }], undefined, 3 * seconds));
  if (single?.state === "passed") proven.add(`${file} ${test}`);
  if (single?.state === "passed") return false;
  const whole = await tests.run([{ file }], undefined, 6 * seconds);
  for (const each of whole.passed) proven.add(each);
  return whole.state !== "passed";
}

async function judge(tests: WarmTests, mutant: Mutant, covering: readonly Covering[]): Promise<MutantResult> {
  const excluded = new Set<string>();
  for (;;) {
    const files = covering.filter(({ file }) => !excluded.has(file));
    if (files.length === 0)
      return resultOf(mutant, {
        state: "not meaningful",
        reason: "No test in this process covers the line.",
        seconds: 0,
      });
    const outcome = await tests.run(files, mutant, seconds);
    const whole = new Set(files.filter(({ names }) => !names).map(({ file }) => file));
    for (const file of outcome.passed) if (whole.has(file)) proven.add(file);
    const took = { seconds: outcome.seconds };
    if (outcome.state === "passed") return resultOf(mutant, { state: "survived", ...took });
    if (outcome.state === "timed out")
      return resultOf(mutant, {
        state: "timed out",
        reason: `${outcome.passed.length} of ${files.length} test files passed.`,
        ...took,
      });
    if (INVALID.test(outcome.message ?? ""))
      return resultOf(mutant, { state: "not meaningful", reason: "The database refuses the statement.", ...took });
    const test = [outcome.file, outcome.test].filter(Boolean).join(" > ");
    if (!(await failsAlone(tests, outcome))) return resultOf(mutant, { state: "killed", test, ...took });
    console.log(`${test} fails without a change: left out`);
    excluded.add(outcome.file ?? "");
  }
}

async function main(): Promise<void> {
  if (options.help) return console.log(HELP);
  if (options.restart)
    results = Object.fromEntries(Object.entries(results).filter(([, { state }]) => state === "not meaningful"));
  const stored = results[options.id ?? ""];
  if (options.equivalent && stored) {
    results[options.id as string] = { ...stored, state: "not meaningful", reason: options.equivalent };
    return save();
  }
  if (options.again && !STATES.some((state) => state === options.again)) throw new Error(HELP);
  const chosen = options.report ? [] : chosenMutants();
  if (chosen.length === 0) return print(reportOf(results));
  const coverage = coverageOf(files);
  const tests = await startTests();
  let isStopped = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      isStopped = true;
      void tests.close().finally(() => process.exit(130));
    });
  try {
    for (const [at, mutant] of chosen.entries()) {
      const covering = coverage.testsOf(mutant.path, mutant.start);
      const result = await judge(tests, mutant, options.again || options.id ? latestFirst(covering) : covering);
      // The process exits when everything is closed; the outcome of a stopped run is meaningless.
      if (isStopped) return await new Promise(() => {});
      results[mutant.id] = result;
      save();
      const { path, line, kind, change, state, test = "", reason = "" } = result;
      console.log(
        `${at + 1}/${chosen.length} ${state} ${result.seconds} s  ${mutant.id}  ${path}:${line}  ${kind}: ` +
          `${change}  ${test}${reason}`,
      );
    }
  } finally {
    await tests.close();
  }
  print(reportOf(results));
}

await main();
// vitest may hold a handle of a killed worker.
process.exit();
