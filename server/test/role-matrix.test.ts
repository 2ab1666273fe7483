// The matrix of roles, tested on a covering set: one row of each class with everybody, and every other row with one
// caller who succeeds and three who are refused. role-matrix.slow.test.ts tests every row with everybody.
import { namedOperations } from "@svc/contract/named-operations.ts";
import { describe, expect, test } from "vitest";
import { needsRow, type RoleRow, rowsOf } from "./role-matrix.ts";
import { byRoute, coveringColumns, matrix, matrixAnswers, testRows, wholeRows } from "./role-matrix-answers.ts";

const on = matrixAnswers();
testRows(on, coveringColumns);

const shape = (route: string) => route.replace("/api/v1", "");
const spoken = namedOperations.filter(needsRow).map(({ method, path }) => shape(`${method} ${path}`));
const gaps = (rows: readonly RoleRow[]) => {
  const routes = rows.map(({ route }) => route);
  const known = new Set<string>([
    ...namedOperations.map(({ method, path }) => shape(`${method} ${path}`)),
    ...byRoute.keys(),
  ]);
  return {
    without_row: spoken.filter((route) => !routes.includes(route)),
    of_no_operation: routes.filter((route) => !known.has(route)),
    twice: routes.filter((route, at) => routes.indexOf(route) !== at),
    not_served: routes.filter((route) => !byRoute.has(route)),
  };
};
const COMPLETE = { without_row: [], of_no_operation: [], twice: [], not_served: [] };

test("every operation about the work has one row, and every row is of an operation that is served", () => {
  expect(gaps(matrix)).toEqual(COMPLETE);
});

describe("the covering set", () => {
  test("has one caller who succeeds with an operation, and three who are refused", () => {
    const succeeds = (cell = "") => cell.split(",").includes("ok");
    for (const row of matrix.filter((each) => !wholeRows.has(each))) {
      const countOf = (columns: readonly string[], isWanted: boolean) =>
        columns.filter((column) => succeeds(row.cells[column]) === isWanted).length;
      const [left, all] = [coveringColumns(row), Object.keys(row.cells)];
      expect(countOf(left, true), row.route).toBe(Math.min(1, countOf(all, true)));
      expect(countOf(left, false), row.route).toBe(Math.min(3, countOf(all, false)));
    }
  });
  test("lets everybody succeed who ever does", () => {
    const succeeding = (columnsOf: (row: RoleRow) => readonly string[]) =>
      new Set(matrix.flatMap((row) => columnsOf(row).filter((column) => /ok/.test(row.cells[column] ?? ""))));
    expect(succeeding(coveringColumns)).toEqual(succeeding(({ cells }) => Object.keys(cells)));
  });
  test("has one row of each class with everybody", () => {
    const cellsOf = ({ level, cells }: RoleRow) => JSON.stringify([level, cells]);
    expect(new Set([...wholeRows].map(cellsOf))).toEqual(new Set(matrix.map(cellsOf)));
    for (const row of wholeRows) expect(coveringColumns(row), row.route).toEqual(Object.keys(row.cells));
  });
  test("asks every kind of caller who is ever refused", () => {
    const refusing = ({ cells }: RoleRow, columns: readonly string[]) =>
      columns.filter((column) => !/ok/.test(cells[column] ?? ""));
    const asked = new Set(matrix.flatMap((row) => refusing(row, coveringColumns(row))));
    expect(asked).toEqual(new Set(matrix.flatMap((row) => refusing(row, Object.keys(row.cells)))));
  });
});

describe("the matrix notices", () => {
  const rowOf = (route: string) => matrix.find((row) => row.route === route) ?? expect.fail(`no row of ${route}`);

  test("a row that the specification does not say", async () => {
    const row = rowOf("POST /workspaces/{workspace_id}/projects");
    const wrong = { ...row, cells: { ...row.cells, viewer: "ok", outsider: "403" } };
    const found = await on.answersTo(wrong);
    expect(found).not.toEqual(wrong.cells);
    expect(found).toEqual(row.cells);
  });
  test("an operation that asks for too little", async () => {
    const row = { ...rowOf("PATCH /projects/{project_id}"), route: "POST /planted/viewer/{project_id}" };
    const { member, viewer, reader, guest } = await on.answersTo(row);
    expect({ member, viewer, reader, guest }).toEqual({ member: "ok", viewer: "ok", reader: "ok", guest: "ok" });
  });
  test("a missing row, a doubled one, and one of an operation that nobody named", () => {
    const [first, second, ...others] = matrix as [RoleRow, RoleRow, ...RoleRow[]];
    const unknown = { ...second, route: "GET /nothing" };
    expect(gaps([second, second, ...others, unknown])).toMatchObject({
      without_row: [first.route],
      of_no_operation: [unknown.route],
      twice: [second.route],
      not_served: expect.arrayContaining([unknown.route]),
    });
  });
  test("a row that is not as wide as its heading", () => {
    expect(() => rowsOf("workspace", "owner admin\nGET W ok")).toThrow("a row of 1 cells, not 2");
  });
});
