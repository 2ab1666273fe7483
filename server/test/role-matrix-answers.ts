// Answers of the service to the rows of the role matrix: a valid call of each operation by everybody who has a column
// in it. A call that may succeed gets a target of its own; refused ones and reads share theirs. role-matrix.test.ts
// compares the columns of a covering set, role-matrix.slow.test.ts all of them.
import { createHash } from "node:crypto";
import { type AnyOperation, isUnsafe } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, test } from "vitest";
import { implementations } from "../src/operations.ts";
import type { Answer } from "./answer.ts";
import { newcomer } from "./fixtures/fixture.ts";
import { fixtures } from "./fixtures.ts";
import type { Home } from "./home.ts";
import { plantedImplementations, plantedOperations } from "./planted.ts";
import { ofWorkspacesAndProjects, type RoleRow } from "./role-matrix.ts";
import { besideRows } from "./role-matrix-beside.ts";
import { play, playing, privateHome } from "./role-matrix-cast.ts";
import { documentRows } from "./role-matrix-documents.ts";
import { taskRows } from "./role-matrix-tasks.ts";
import { attempt, credentialOf, homeIn, ready, type Stage, stageOn } from "./stage.ts";
import { type Person, service } from "./world.ts";

export const matrix: readonly RoleRow[] = [...ofWorkspacesAndProjects, ...taskRows, ...besideRows, ...documentRows];
export const byRoute: ReadonlyMap<string, AnyOperation> = new Map(
  [...operations.values(), ...plantedOperations].map((operation) => [operation.route, operation]),
);

/** Rows whose successes share a Workspace; in a crowded one the lists of Projects and people become long. */
const ROWS_OF_HOME = 20;
/** Attempts at the present revision, which another row may have raised meanwhile. */
const MOST_ATTEMPTS = 5;
const inHidden = new Set(["manager", "lead", "partner", "reader", "stranger", "guest"]);
type Place = "visible" | "hidden";

/**
 * Whether the call changes only what its path names below the Workspace, or adds something, so that other rows notice
 * nothing.
 */
const leavesOthersAlone = ({ id, params, status }: AnyOperation) =>
  !fixtures[id]?.alone && (status === 201 || params.some((name) => name !== "workspace_id"));

const usual: Record<number, string[]> = {
  401: ["authentication_required"],
  403: ["forbidden", "workspace_access_denied"],
  404: ["not_found"],
};
/** The cell for this answer; the code is appended where it is not the usual one of its status. */
function cellOf({ status, body }: Answer): string {
  if (status < 400) return "ok";
  const meant = usual[status];
  return !meant || meant.includes(body.code) ? String(status) : `${status} ${body.code}`;
}

/** Starts a service with the Workspaces of the matrix, for one test file. */
export function matrixAnswers() {
  const running = service({}, { implementations: [...implementations, ...plantedImplementations] });
  let stage: Stage;
  let shared: Record<Place, Home>;
  beforeAll(async () => {
    stage = await stageOn(running, [...byRoute.values()], { ...fixtures, letsViewerWrite: {} });
    shared = { visible: stage.home, hidden: await privateHome(running) };
  });
  afterAll(() => stage?.admin.end());

  const pool = new Map<string, Promise<Home>>();
  const newHome = (place: Place) => (place === "hidden" ? privateHome(running) : homeIn(running));
  /** Returns the Workspace in which the successes of a row change things. */
  function homeOf(row: RoleRow, operation: AnyOperation, place: Place, own: Map<Place, Promise<Home>>): Promise<Home> {
    const number = matrix.indexOf(row);
    const isShared = number >= 0 && row.level !== "account" && leavesOthersAlone(operation);
    const [homes, key] = isShared ? [pool, `${place} ${Math.floor(number / ROWS_OF_HOME)}`] : [own, place];
    const home = (homes as Map<string, Promise<Home>>).get(key) ?? newHome(place);
    (homes as Map<string, Promise<Home>>).set(key, home);
    return home;
  }

  /** Sends a valid call by this person; nobody calls without a credential. */
  async function call(operation: AnyOperation, home: Home, person: Person | undefined, fresh: boolean) {
    const fixture = { ...stage.fixtures[operation.id], caller: async () => person ?? newcomer(home) };
    const here = { ...stage, home, fixtures: { ...stage.fixtures, [operation.id]: fixture } };
    const prepared = await ready(here, operation, fresh);
    const as = person ? await credentialOf(stage, person, operation.auth[0] ?? "S") : {};
    let answer = await attempt(here, operation, prepared, { as });
    for (let left = MOST_ATTEMPTS; left > 1 && answer.body?.code === "revision_conflict"; left--)
      answer = await attempt(here, operation, { ...prepared, revision: answer.body.current_revision }, { as });
    return answer;
  }

  /**
   * The people of one cell. An account does some things only once, so new people call, from another Workspace than that
   * of the target.
   */
  async function peopleOf({ level }: RoleRow, column: string, home: Home): Promise<Person[]> {
    if (level !== "account") return playing(home, stage.foreign, column);
    if (column === "nobody") return [];
    return play(column === "owner" ? await homeIn(running) : stage.home, stage.foreign, column);
  }

  /** The row as the service answers it, in these columns. */
  async function answersTo(row: RoleRow, columns = Object.keys(row.cells)): Promise<RoleRow["cells"]> {
    const operation = byRoute.get(row.route);
    if (!operation) throw new Error(`${row.route} is not served`);
    const unsafe = isUnsafe(operation);
    const own = new Map<Place, Promise<Home>>();
    const found: RoleRow["cells"] = {};
    for (const column of columns) {
      const place = inHidden.has(column) ? "hidden" : "visible";
      const cells: string[] = [];
      for (const [at, cell] of (row.cells[column] as string).split(",").entries()) {
        const changes = unsafe && cell === "ok";
        const isOwn = changes || row.level === "account";
        const home = isOwn ? await homeOf(row, operation, place, own) : shared[place];
        const people = await peopleOf(row, column, home);
        cells.push(cellOf(await call(operation, home, people[at], changes)));
      }
      found[column] = cells.join();
    }
    return found;
  }
  return { running, answersTo };
}

/** Declares one test for each row, which compares these columns. */
export function testRows(
  { answersTo }: ReturnType<typeof matrixAnswers>,
  columnsOf: (row: RoleRow) => readonly string[] = ({ cells }) => Object.keys(cells),
): void {
  for (const row of matrix.filter(({ route }) => byRoute.has(route)))
    test.concurrent(row.route, async ({ expect }) => {
      const columns = [...columnsOf(row)];
      const cells = Object.fromEntries(columns.map((column) => [column, row.cells[column]]));
      expect(await answersTo(row, columns), row.route).toEqual(cells);
    });
}

const rank = (...names: string[]) => createHash("sha256").update(names.join("\n")).digest("hex");
const byHash = <T>(items: readonly T[], nameOf: (item: T) => string): T[] =>
  items.toSorted((one, other) => (rank(nameOf(one)) < rank(nameOf(other)) ? -1 : 1));
/** Rows that expect the same of everybody form a class. */
const classOf = ({ level, route, cells }: RoleRow) => JSON.stringify([level, route.startsWith("GET "), cells]);
const classes = Map.groupBy(matrix, classOf);
/** One row of each class, chosen by a hash of its route. */
export const wholeRows: ReadonlySet<RoleRow> = new Set(
  [...classes.values()].map((rows) => byHash(rows, ({ route }) => route)[0] as RoleRow),
);

const succeeds = (cell = "") => cell.split(",").includes("ok");
const MOST_REFUSED = 3;
/**
 * Columns that the first tier compares: all of one row of each class; of the others, by a hash, one who succeeds and
 * three who are refused.
 */
export function coveringColumns(row: RoleRow): string[] {
  const columns = Object.keys(row.cells);
  if (wholeRows.has(row)) return columns;
  const picked = (from: readonly string[], most: number) =>
    byHash(from, (column) => `${row.route} ${column}`).slice(0, most);
  const { true: able = [], false: refused = [] } = Object.groupBy(
    columns,
    (column) => `${succeeds(row.cells[column])}`,
  );
  const left = new Set([...picked(able, 1), ...picked(refused, MOST_REFUSED)]);
  return columns.filter((column) => left.has(column));
}
