// npm run check <operation>: checks everything about one operation in half a minute. Prints one line for each check,
// and for each failure the file to edit. Checks that only read the sources run first; the tests of operation-checks.ts
// run in one vitest process, and only on a complete operation.
import type { AnyOperation } from "../contract/src/kit.ts";
import { differences, entryFor } from "../contract/src/named-operations.ts";
import { needsRow } from "../server/test/role-matrix.ts";
import { nearestNames } from "./nearest-names.ts";
import { checksOf, matrixOf, type Outcome } from "./operation-checks.ts";
import { declaringFiles, FIXTURES, filesOf, fixtureFile, type OperationFiles } from "./operation-files-of.ts";
import { runChecks } from "./run-checks.ts";

const outcome = (name: string, fault: string | undefined, says: string): Outcome =>
  fault === undefined ? { state: "passed", name, says } : { state: "failed", name, says: fault };

/** Checks that need no running service. */
export function readSources(operation: AnyOperation, files: OperationFiles): Outcome[] {
  const { id, route } = operation;
  const unnamed = differences(operation).at(0);
  const fixture = fixtureFile(id);
  const entry = entryFor(operation);
  const withoutRow =
    entry && needsRow(entry) && !matrixOf(route) ? `no row of ${route} in server/test/role-matrix*.ts` : undefined;
  return [
    outcome(
      "declaration",
      unnamed && `${unnamed}: say why in \`unnamed\` of ${files.contract}, or add it to contract/operations.json`,
      files.contract,
    ),
    outcome(
      "implementation",
      files.isImplemented
        ? undefined
        : `write \`export const ${id} = implement(contract.${id}, …)\` in ${files.server}`,
      files.server,
    ),
    outcome(
      "fixture",
      fixture ? undefined : `no line in ${FIXTURES}/: add \`${id}: {},\` beside its neighbours`,
      fixture ?? "",
    ),
    ...(withoutRow ? [outcome("role-matrix", withoutRow, "")] : []),
  ];
}

const print = ({ state, name, says }: Outcome) =>
  console.log(`${state.padEnd(14)}  ${name.padEnd(14)}  ${says.replaceAll("\n", `\n${" ".repeat(32)}`)}`);

/** Resolves to the exit status. */
async function check(asked: string): Promise<number> {
  const began = performance.now();
  const declared = declaringFiles();
  const contract = declared.get(asked);
  if (contract === undefined) {
    const names = nearestNames(asked, declared.keys()).join(", ");
    console.error(
      asked === "" ? "npm run check <operation>" : `no operation is called ${asked}; the nearest: ${names}`,
    );
    return 1;
  }
  const { operations } = await import("../contract/src/operations.ts");
  const operation = operations.get(asked);
  if (!operation) {
    console.error(`${asked} is declared in ${contract} and not registered: npm run docs`);
    return 1;
  }
  const files = filesOf(operation, contract);
  console.log(`${asked}: ${operation.route}\n`);
  const outcomes = readSources(operation, files);
  for (const each of outcomes) print(each);
  if (outcomes.some(({ state }) => state === "failed")) console.log("\nThe other checks need these first.");
  else outcomes.push(...(await runChecks(asked, checksOf(operation, files), print)));
  const failed = outcomes.filter(({ state }) => state === "failed").map(({ name }) => name);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(failed.length > 0 ? `\nfailed after ${seconds} s: ${failed.join(", ")}` : `\npassed in ${seconds} s`);
  return failed.length > 0 ? 1 : 0;
}

if (import.meta.main) process.exit(await check(process.argv.slice(2).join(" ").trim()));
