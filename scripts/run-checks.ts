// Runs the checks of operation-checks.ts in one vitest process, so that the database and the service start once, and
// reports each check in one line. SVC_OPERATION restricts the test files to one operation.
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { createVitest, type TestModule } from "vitest/node";
import { compiled } from "./compiled.mjs";
import type { OperationCheck, Outcome } from "./operation-checks.ts";
import { root } from "./operation-files-of.ts";

/** Maximum lines of an error's message, and of its difference. */
const SHOWN = { message: 12, difference: 40 };
interface Failure {
  name: string;
  errors: readonly { message: string; diff?: string; stacks?: { file: string; line: number }[] }[];
}

function failuresIn(module: TestModule): Failure[] {
  const tests = [...module.children.allTests("failed")];
  return [
    { name: module.relativeModuleId, errors: module.errors() },
    ...[...module.children.allSuites()].map((suite) => ({ name: suite.fullName, errors: suite.errors() })),
    ...tests.map((test) => ({ name: test.fullName, errors: test.result().errors ?? [] })),
  ].filter(({ errors }) => errors.length > 0);
}

/** The lines of the difference, without its headings. */
const differing = (diff = "") =>
  stripVTControlCharacters(diff)
    .split("\n")
    .filter((line) => /^[+-] /.test(line) && !/^(?:- Expected|\+ Received)/.test(line));

function described({ name, errors }: Failure): string {
  return errors
    .map(({ message, diff, stacks }) => {
      const at = stacks?.[0] ? ` (${relative(root, stacks[0].file).replaceAll("\\", "/")}:${stacks[0].line})` : "";
      const lines = message.split("\n").slice(0, SHOWN.message);
      return [`${name}${at}`, ...lines, ...differing(diff).slice(0, SHOWN.difference)].join("\n");
    })
    .join("\n");
}

function outcomeOf({ name, absent, edit }: OperationCheck, modules: readonly TestModule[]): Outcome {
  const failures = modules.flatMap(failuresIn);
  if (failures.length > 0)
    return { state: "failed", name, says: `edit ${edit}\n${failures.map(described).join("\n")}` };
  const passed = modules.flatMap((module) => [...module.children.allTests("passed")]);
  if (passed.length > 0) {
    const ms = passed.reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0);
    const tests = passed.length === 1 ? "1 test" : `${passed.length} tests`;
    return { state: "passed", name, says: `${tests} in ${(ms / 1000).toFixed(1)} s` };
  }
  if (absent !== null) return { state: "does not apply", name, says: absent };
  return { state: "failed", name, says: `no test is about it: edit ${edit}` };
}

export async function runChecks(
  id: string,
  checks: readonly OperationCheck[],
  report: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  Object.assign(process.env, compiled(), { SVC_OPERATION: id });
  const waiting = new Map(checks.map((check) => [check, new Set(check.tests.map(({ file }) => file))]));
  const done: Outcome[] = [];
  const modules = new Map<string, TestModule>();
  const finish = (check: OperationCheck) => {
    waiting.delete(check);
    const outcome = outcomeOf(
      check,
      check.tests.flatMap(({ file }) => modules.get(file) ?? []),
    );
    done.push(outcome);
    report(outcome);
  };
  const reporter = {
    onTestModuleEnd(module: TestModule) {
      const file = module.relativeModuleId;
      modules.set(file, module);
      for (const [check, left] of waiting) if (left.delete(file) && left.size === 0) finish(check);
    },
  };
  const vitest = await createVitest("test", { root, watch: false, maxWorkers: 1, reporters: [reporter] });
  try {
    await vitest.standalone();
    const project = vitest.getRootProject();
    const specifications = checks.flatMap(({ tests }) =>
      tests.map(({ file, pattern }) => project.createSpecification(`${root}/${file}`, { testNamePattern: pattern })),
    );
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
    for (const check of [...waiting.keys()]) finish(check);
    for (const error of unhandledErrors) console.error(error);
  } finally {
    await vitest.close();
  }
  return done;
}
