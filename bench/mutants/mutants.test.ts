// Tests the mutants that a source file yields, the choice of a run, and the tests that cover a line.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { coverageOf } from "./covering-tests.ts";
import { applied, byId, type Mutant, shown } from "./mutant.ts";
import { mutantsOf } from "./mutants-of.ts";
import { root } from "./references.ts";
import { chooseMutants, currentOf, reportOf, resultOf } from "./stored-results.ts";

const changesOf = (source: string, path = "server/src/planning/tasks/store.ts") =>
  mutantsOf(path, source).map((mutant) => `${mutant.kind}: ${shown(mutant)}`);
const sql = (statement: string) => changesOf(`const TEXT = \`${statement}\`;`);

describe("SQL", () => {
  test("each condition of a conjunction is replaced by one that always holds", () => {
    expect(sql("select id from tasks t where t.id = $1 and lower(t.title) = $2")).toEqual([
      "predicate: t.id = $1 -> ((t.id = $1) or true)",
      "predicate: lower(t.title) = $2 -> ((lower(t.title) = $2) or true)",
    ]);
  });

  test("each alternative is replaced by one that never holds", () => {
    expect(sql("select id from tasks where (parent_id = $1 or id = $2)")).toEqual([
      "predicate: (parent_id = $1 or id = $2) -> (((parent_id = $1 or id = $2)) or true)",
      "predicate: id = $2 -> ((id = $2) and false)",
      "predicate: parent_id = $1 -> ((parent_id = $1) and false)",
    ]);
  });

  test("an interpolated predicate about visibility is a mutant of access", () => {
    const hole = "$".concat("{projectVisible}");
    expect(sql(`select id from projects p where p.id = $1 and ${hole}`)).toContain(
      `access: ${hole} -> ((${hole}) or true)`,
    );
  });

  test("a condition about the Workspace alone is not changed", () => {
    expect(sql("select id from tasks t where t.workspace_id = current_workspace() and workspace_id = $1")).toEqual([]);
  });

  test("a bound of between belongs to its condition", () => {
    expect(sql("select id from tasks where number between $1 and $2 and id = $3")).toEqual([
      "predicate: number between $1 and $2 -> ((number between $1 and $2) or true)",
      "predicate: id = $3 -> ((id = $3) or true)",
    ]);
  });

  test("negations, bounds, states and orders change", () => {
    const found = sql(
      "select max(n) from runs where state in ('open', 'done') and ended_at is null and n < $1 limit $2",
    );
    expect(found).toEqual(
      expect.arrayContaining([
        "bound: max -> min",
        "state: 'open', -> nothing",
        "state: , 'done' -> nothing",
        "predicate: null -> not null",
        "bound: < -> <=",
        "bound: $2 -> greatest($2 - 1, 0)",
      ]),
    );
    expect(sql("select id from runs where not exists (select from runs where id = $1) order by n desc, id")).toEqual(
      expect.arrayContaining(["predicate: not exists -> exists", "ordering: desc -> asc"]),
    );
    expect(sql("select id from runs where state = 'open' order by n, id")).toEqual(
      expect.arrayContaining(["state: = -> <>", "ordering: n -> n desc"]),
    );
  });

  test("a comparison with the current time is not changed: nothing happens at exactly that instant", () => {
    expect(sql("select id from links where expires_at > now()")).toHaveLength(1);
  });

  test("prose and comments are not SQL", () => {
    expect(changesOf("const TEXT = `Select a Task and say where it is < 3.`;")).toEqual([]);
    expect(sql("select /* where a and b */ id from tasks -- order by id")).toEqual([]);
  });
});

describe("TypeScript", () => {
  test("conditions, bounds and negations change", () => {
    expect(changesOf("export const f = (a, b) => !a && b <= 3 && b + 1 > a;")).toEqual([
      "predicate: && -> ||",
      "predicate: !a -> a",
      "bound: <= -> <",
      "bound: > -> >=",
      "bound: b + 1 -> b",
    ]);
  });

  test("states and roles lose a member", () => {
    expect(changesOf('const OPEN = new Set(["queued", "running"]);')).toEqual([
      'state: "queued", -> nothing',
      'state: , "running" -> nothing',
    ]);
    expect(changesOf('const managers = (role) => ["owner", "admin"].includes(role);')[0]).toBe(
      'access: "owner", -> nothing',
    );
    expect(changesOf('const NEXT = { open: ["done", "cancelled"], done: ["open", "closed"] };')).toHaveLength(4);
  });

  test("a comparison with a state is a mutant of states, one with a role a mutant of access", () => {
    expect(changesOf('export const f = (run) => run.state === "open";')).toEqual(["state: === -> !=="]);
    expect(changesOf('export const f = (member) => member.role !== "owner";')).toEqual(["access: !== -> ==="]);
  });

  test("a permission becomes another one, a comparator is turned around", () => {
    expect(changesOf('export const rule = label("work:write");')).toEqual(['access: "work:write" -> "work:read"']);
    expect(changesOf("export const f = (list) => list.toSorted((a, b) => a - b);")).toEqual(["ordering: a, b -> b, a"]);
  });

  test("a named limit grows by one, a length of time does not", () => {
    expect(changesOf("const MOST = 500;\nconst LIMIT_MS = 500;\nconst PAGE = 5;")).toEqual(["bound: 500 -> 501"]);
  });

  test("a condition in a file about access is a mutant of access", () => {
    expect(changesOf("export const f = (a, b) => a && b;", "server/src/planning/tasks/access.ts")).toEqual([
      "access: && -> ||",
    ]);
  });

  test("the bound of a loop and a type are not changed", () => {
    expect(changesOf("for (let at = 0; at < 3; at++) run(at);\ntype X = 'a' | 'b';")).toEqual([]);
  });
});

/** Runs the code of THREAD in a thread. */
const START = 'new (require("node:worker_threads").Worker)(new URL("data:text/javascript," + process.env.THREAD))';
const SOURCE = "export const f = (a, b) => a < b;\nexport const g = (a, b) => a && b;\n";
test("a mutant is applied at its place and identified by its statement, in whichever file and line", () => {
  const [mutant] = mutantsOf("server/src/x.ts", SOURCE) as [Mutant];
  expect(applied(SOURCE, mutant)).toBe(SOURCE.replace("<", "<="));
  const [moved] = mutantsOf("server/src/x.ts", `// Later.\n${SOURCE}`) as [Mutant];
  expect([moved.id, moved.line]).toEqual([mutant.id, 2]);
  const [renamed] = mutantsOf("server/src/y.ts", SOURCE) as [Mutant];
  expect(renamed.id).toBe(mutant.id);
  const [edited] = mutantsOf("server/src/x.ts", SOURCE.replace("(a, b) => a <", "(b, a) => a <")) as [Mutant];
  expect(edited.id).not.toBe(mutant.id);
});

test("a thread loads the mutant, although nothing but Node loads its modules", () => {
  const path = "server/src/platform/wire/ids.ts";
  const source = readFileSync(join(root, path), "utf8");
  const start = source.indexOf("-0000-");
  const mutant = { id: "x", kind: "state", path, line: 1, start, end: start + 6, before: "-0000-", after: "-mutant-" };
  const address = JSON.stringify(pathToFileURL(join(root, path)));
  const thread = encodeURIComponent(`import { NIL } from ${address}; console.log(NIL);`);
  const output = execFileSync(
    process.execPath,
    ["--import", new URL("loaded-mutant.ts", import.meta.url).href, "-e", START],
    { encoding: "utf8", env: { ...process.env, SVC_MUTANT: JSON.stringify(mutant), THREAD: thread } },
  );
  expect(output).toMatch(/^0+-mutant-0000-/);
});

test("the mutants of a statement that several files have are identified by their file", () => {
  const mutants = ["x", "y"].flatMap((name) => mutantsOf(`server/src/${name}.ts`, SOURCE));
  const alone = mutantsOf("server/src/z.ts", "export const h = (a, b) => a > b;");
  const found = byId([...mutants, ...alone]);
  expect([...found.values()].map(({ path }) => path)).toEqual([...mutants, ...alone].map(({ path }) => path));
  expect(alone.every(({ id }) => found.has(id))).toBe(true);
});

describe("a run", () => {
  const source = `${SOURCE}export const s = (run) => run.state === "open";`;
  const many = [
    ...byId(Array.from({ length: 60 }, (_, at) => mutantsOf(`server/src/x${at}.ts`, source)).flat()).values(),
  ];

  test("chooses by its seed, and as many of each kind", () => {
    const chosen = chooseMutants(many, "1", 30);
    expect(chooseMutants(many.toReversed(), "1", 30)).toEqual(chosen);
    expect(chooseMutants(many, "2", 30)).not.toEqual(chosen);
    for (const kind of ["bound", "predicate", "state"])
      expect(chosen.filter((mutant) => mutant.kind === kind)).toHaveLength(10);
  });

  test("chooses fewer where there are no more", () => {
    expect(chooseMutants(many, "1", 1000)).toHaveLength(180);
  });

  test("reports the share of the meaningful mutants that were killed, and those that were not", () => {
    const [one, two, three] = many as [Mutant, Mutant, Mutant];
    const results = {
      [one.id]: resultOf(one, { state: "killed", test: "x", seconds: 1 }),
      [two.id]: resultOf(two, { state: "survived", seconds: 1 }),
      [three.id]: resultOf(three, { state: "not meaningful", reason: "Equivalent.", seconds: 1 }),
    };
    const [survivor, summary] = reportOf(results);
    expect(survivor).toContain(`survived  ${two.id}  server/src/x0.ts:2  predicate: && -> ||`);
    expect(summary).toContain("3 mutants: 1 killed, 1 survived, 0 timed out, 1 not meaningful; 50.0 %");
  });

  test("forgets the results of mutants that the sources no longer yield", () => {
    const [one, two] = many as [Mutant, Mutant];
    const stored = {
      [one.id]: resultOf(one, { state: "killed", seconds: 1 }),
      gone: resultOf(two, { state: "killed", seconds: 1 }),
    };
    expect(Object.keys(currentOf(stored, new Map([[one.id, one]])))).toEqual([one.id]);
  });
});

test("the tests of a line are those of its file, of the operations that reach it, and of its folder, in this order", () => {
  const files = [
    { path: "server/src/planning/labels/store.ts", text: "export const find = (a, b) => a < b;\n" },
    {
      path: "server/src/planning/labels/definitions.ts",
      text: 'import { find } from "./store.ts";\nexport const getLabel = implement(() => find(1, 2));\n',
    },
    { path: "server/src/planning/labels/definitions.test.ts", text: 'test("x", () => {});' },
    { path: "server/src/planning/labels/definitions-find.test.ts", text: 'test("x", () => {});' },
    { path: "server/src/planning/labels/other.test.ts", text: 'test("x", () => {});' },
    { path: "server/src/planning/labels/store.test.ts", text: 'test("x", () => {});' },
    { path: "server/src/planning/tasks/tasks.test.ts", text: 'call("GET", "/label-definitions/1");' },
    { path: "server/src/planning/tasks/bulk.test.ts", text: 'test("x", () => {});' },
    { path: "server/test/role-matrix.test.ts", text: "" },
  ];
  const covering = coverageOf(files).testsOf("server/src/planning/labels/store.ts", 5);
  expect(covering.map(({ file }) => file)).toEqual([
    "server/src/planning/labels/store.test.ts",
    "server/src/planning/labels/definitions.test.ts",
    "server/src/planning/labels/definitions-find.test.ts",
    "server/test/role-matrix.test.ts",
    "server/src/planning/tasks/tasks.test.ts",
    "server/src/planning/labels/other.test.ts",
  ]);
  const { names } = covering[3] as { names: RegExp };
  expect(
    ["GET /label-definitions/{label_id}", "getLabel holds to its contract"].every((name) => names.test(name)),
  ).toBe(true);
  expect(names.test("GET /label-definitions/{label_id}/assignments")).toBe(false);
});
