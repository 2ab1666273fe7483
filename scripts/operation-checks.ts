// Lists the checks that `npm run check` runs for one operation: test files over all operations, of which it selects the
// tests named after the operation or its route, and the tests of its domain. The rules themselves are in those files. A
// check without such a test does not apply to the operation.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { AnyOperation } from "../contract/src/kit.ts";
import { ofWorkspacesAndProjects } from "../server/test/role-matrix.ts";
import { besideRows } from "../server/test/role-matrix-beside.ts";
import { documentRows } from "../server/test/role-matrix-documents.ts";
import { taskRows } from "../server/test/role-matrix-tasks.ts";
import { escaped, fixtureFile, type OperationFiles, root, type TestSelection } from "./operation-files-of.ts";

/** Result of a check. */
export interface Outcome {
  state: "passed" | "failed" | "does not apply";
  name: string;
  says: string;
}

export interface OperationCheck {
  name: string;
  tests: readonly TestSelection[];
  /** Reason why the check does not apply if no test is selected; null: it applies to every operation. */
  absent: string | null;
  /** Files to edit if the check fails. */
  edit: string;
}

const folder = "server/test";
/** Test files whose second tier repeats the whole first tier. */
const COMPLETE_IN_SLOW = new Set(["contract", "role-matrix", "capabilities"]);
/** The test files of this name in both tiers, or only the second if it is complete. */
const tiersOf = (name: string) =>
  readdirSync(join(root, folder))
    .filter((file) => file === `${name}.slow.test.ts` || (file === `${name}.test.ts` && !COMPLETE_IN_SLOW.has(name)))
    .map((file) => `${folder}/${file}`);

const matrices = {
  "server/test/role-matrix.ts": ofWorkspacesAndProjects,
  "server/test/role-matrix-tasks.ts": taskRows,
  "server/test/role-matrix-beside.ts": besideRows,
  "server/test/role-matrix-documents.ts": documentRows,
};
/** The files with rows of roles. */
export const MATRICES = Object.keys(matrices);
/** The file with the row of this route. */
export const matrixOf = (route: string) =>
  Object.entries(matrices).find(([, rows]) => rows.some((row) => row.route === route))?.[0];

export function checksOf({ id, route, kind }: AnyOperation, { contract, server, ownTest, tests }: OperationFiles) {
  const [byName, byRoute] = [new RegExp(`(?:^|[ >])${id} `), new RegExp(`(?:^|[ >])${escaped(route)}$`)];
  const withTrace = new RegExp(`${byName.source}|^no read, no refusal and no replay writes anything$`);
  const withWords = new RegExp(`${byName.source}|what is told works, and what is not told does not`);
  const store = `${server.slice(0, server.lastIndexOf("/"))}/store.ts, or an index in server/migrations`;
  const check = (name: string, pattern: RegExp, absent: string | null, edit: string): OperationCheck => ({
    name,
    tests: tiersOf(name).map((file) => ({ file, pattern })),
    absent,
    edit,
  });
  return [
    check("contract", withTrace, null, `${contract} (declaration), ${server} (handler) or ${fixtureFile(id)} (call)`),
    check("role-matrix", byRoute, NO_ROW, `the row in ${matrixOf(route)}, or the access rule in ${server}`),
    check("hidden", byRoute, "its path names nothing that can be hidden", `the access rule in ${server}`),
    check("archived", byName, "it changes nothing in a Project", `the access rule in ${server}, or ${POSSIBLE}`),
    check(
      "undoable",
      byName,
      "it is no write of a signed-in caller",
      `contract/src/undoable-operations.ts or ${server}`,
    ),
    check("capabilities", withWords, NO_WORD, `contract/src/capabilities.ts or ${server}`),
    check("explain", byName, NO_CALL, kind === "page" ? `${store}, or \`lists\` in server/test/explained.ts` : store),
    { name: "own tests", tests, absent: null, edit: `${ownTest} or ${server}` },
  ];
}
const NO_ROW = "it has no row, which only a named operation about the work must have";
const NO_WORD = "no word of contract/src/capabilities.ts that is tried there names it";
const NO_CALL = "it needs a provider: calls beside server/test/explain.slow.test.ts explain its statements";
const POSSIBLE = "`possible` in server/test/archived.test.ts";
