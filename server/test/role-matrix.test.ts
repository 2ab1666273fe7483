// Holds the service against the matrix of roles: a valid call of each operation by everybody who has a column in it. A call that may
// succeed gets a target of its own; refused ones and reads share theirs.
import { type AnyOperation, isUnsafe } from "@svc/contract/kit.ts";
import { namedOperations } from "@svc/contract/named.ts";
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { newcomer } from "./fixtures/fixture.ts";
import { fixtures } from "./fixtures.ts";
import { plantedImplementations, plantedOperations } from "./planted.ts";
import { needsRow, ofWorkspacesAndProjects, type Row, rowsOf } from "./role-matrix.ts";
import { besideRows } from "./role-matrix-beside.ts";
import { play, playing, privateHome } from "./role-matrix-cast.ts";
import { documentRows } from "./role-matrix-documents.ts";
import { taskRows } from "./role-matrix-tasks.ts";
import { attempt, credentialOf, type Home, homeIn, ready, type Stage, stageOn } from "./stage.ts";
import { type Answer, type Person, service } from "./world.ts";

const matrix: readonly Row[] = [...ofWorkspacesAndProjects, ...taskRows, ...besideRows, ...documentRows];
const running = service({}, { implementations: [...implementations, ...plantedImplementations] });
const byRoute = new Map(
  [...operations.values(), ...plantedOperations].map((operation) => [operation.route, operation]),
);
let stage: Stage;
let shared: { visible: Home; hidden: Home };
beforeAll(async () => {
  stage = await stageOn(running, [...byRoute.values()], { ...fixtures, letsViewerWrite: {} });
  shared = { visible: stage.home, hidden: await privateHome(running) };
});
afterAll(() => stage?.admin.end());

const usual: Record<number, string[]> = {
  401: ["authentication_required"],
  403: ["forbidden", "workspace_access_denied"],
  404: ["not_found"],
};
/** As the matrix writes it; the code is told where it is not the one that is meant. */
function toldBy({ status, body }: Answer): string {
  if (status < 400) return "ok";
  const meant = usual[status];
  return !meant || meant.includes(body.code) ? String(status) : `${status} ${body.code}`;
}

/** A valid call by this person; nobody calls without a credential. */
async function called(operation: AnyOperation, home: Home, person: Person | undefined, fresh: boolean) {
  const fixture = { ...stage.fixtures[operation.id], caller: async () => person ?? newcomer(home) };
  const here = { ...stage, home, fixtures: { ...stage.fixtures, [operation.id]: fixture } };
  const call = await ready(here, operation, fresh);
  const letter = operation.auth[0] ?? "S";
  const as = person ? await credentialOf(stage, person, letter) : {};
  const answer = await attempt(here, operation, call, { as });
  // What an earlier call has changed is changed again at its present revision.
  if (answer.body?.code !== "revision_conflict") return answer;
  return attempt(here, operation, { ...call, revision: answer.body.current_revision }, { as });
}

const inHidden = new Set(["manager", "lead", "partner", "reader", "stranger", "guest"]);

/** The row as the service answers it. */
async function answered({ route, level, cells }: Row): Promise<Row["cells"]> {
  const operation = byRoute.get(route as AnyOperation["route"]);
  if (!operation) throw new Error(`${route} is not served`);
  const unsafe = isUnsafe(operation);
  const own = { visible: () => homeIn(running), hidden: () => privateHome(running) };
  const homes: Partial<Record<keyof typeof own, Promise<Home> | Home>> = unsafe || level === "account" ? {} : shared;
  const found: Row["cells"] = {};
  for (const [column, expected] of Object.entries(cells)) {
    const place = inHidden.has(column) ? "hidden" : "visible";
    homes[place] ??= own[place]();
    const home = await homes[place];
    const told: string[] = [];
    for (const [at, cell] of expected.split(",").entries()) {
      // What an account does once it may not do again, so somebody new does it, from another Workspace than the one it is about.
      const people =
        level !== "account"
          ? await playing(home, stage.foreign, column)
          : column === "nobody"
            ? []
            : await play(column === "owner" ? await homeIn(running) : stage.home, stage.foreign, column);
      told.push(toldBy(await called(operation, home, people[at], unsafe && cell === "ok")));
    }
    found[column] = told.join();
  }
  return found;
}

for (const row of matrix.filter(({ route }) => byRoute.has(route as AnyOperation["route"]))) {
  test.concurrent(row.route, async ({ expect }) => {
    expect(await answered(row), row.route).toEqual(row.cells);
  });
}

const shape = (route: string) => route.replace("/api/v1", "");
const spoken = namedOperations.filter(needsRow).map(({ method, path }) => shape(`${method} ${path}`));
const gaps = (rows: readonly Row[]) => {
  const routes = rows.map(({ route }) => route);
  const known = new Set([...namedOperations.map(({ method, path }) => shape(`${method} ${path}`)), ...byRoute.keys()]);
  return {
    without_row: spoken.filter((route) => !routes.includes(route)),
    of_no_operation: routes.filter((route) => !known.has(route as AnyOperation["route"])),
    twice: routes.filter((route, at) => routes.indexOf(route) !== at),
    not_served: routes.filter((route) => !byRoute.has(route as AnyOperation["route"])),
  };
};
const COMPLETE = { without_row: [], of_no_operation: [], twice: [], not_served: [] };

test("every operation about the work has one row, and every row is of an operation that is served", () => {
  expect(gaps(matrix)).toEqual(COMPLETE);
});

describe("the matrix notices", () => {
  const rowOf = (route: string) => matrix.find((row) => row.route === route) ?? expect.fail(`no row of ${route}`);

  test("a row that the specification does not say", async () => {
    const row = rowOf("POST /workspaces/{workspace_id}/projects");
    const wrong = { ...row, cells: { ...row.cells, viewer: "ok", outsider: "403" } };
    const found = await answered(wrong);
    expect(found).not.toEqual(wrong.cells);
    expect(found).toEqual(row.cells);
  });
  test("an operation that asks for too little", async () => {
    const row = { ...rowOf("PATCH /projects/{project_id}"), route: "POST /planted/viewer/{project_id}" };
    const { member, viewer, reader, guest } = await answered(row);
    expect({ member, viewer, reader, guest }).toEqual({ member: "ok", viewer: "ok", reader: "ok", guest: "ok" });
  });
  test("a missing row, a doubled one, and one of an operation that nobody named", () => {
    const [first, second, ...others] = matrix as [Row, Row, ...Row[]];
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
