// The selection of tests for a change, on a small planted tree.
import { expect, test } from "vitest";
import { durationOnOperations, withinBudget } from "./changed-budget.ts";
import { testsOfBuilds, testsOfChange } from "./changed-tests.ts";

const SLOW = "server/src/planning/tasks/killed.slow.test.ts";
const BACKUP = "server/src/surfaces/backup/killed.test.ts";
const tree: Record<string, string> = {
  "contract/src/planning/tasks/lists.ts": "",
  "contract/src/plain.test.ts": "",
  "server/src/server.ts": 'import "./planning/tasks/lists.ts";\nimport "./platform/wire/ids.ts";',
  "server/src/planning/tasks/lists.ts":
    'import { x } from "./rules.ts";\nimport type { Id } from "../../platform/wire/ids.ts";',
  "server/src/planning/tasks/rules.ts": "insert into tasks (id) values ($1)",
  "server/src/planning/tasks/lists.test.ts": 'import { world } from "../../../test/world.ts";',
  "server/src/planning/tasks/rules.test.ts": 'import { x } from "./rules.ts";',
  [SLOW]: 'import { world } from "../../../test/world.ts";',
  "server/src/planning/tasks/plan/plan.test.ts": 'import { world } from "../../../../test/world.ts";',
  "server/src/planning/labels/labels.test.ts": 'import { world } from "../../../test/world.ts";',
  "server/src/platform/wire/ids.ts": "",
  "server/src/platform/wire/ids.test.ts": 'import { x } from "./ids.ts";',
  "server/src/platform/database/migrate.test.ts": "",
  "server/migrations/0001_tasks.sql": "alter table tasks add column points integer;",
  "server/test/world.ts": 'import { serve } from "../src/server.ts";',
  "server/test/work.ts": 'import { world } from "./world.ts";\nimport { x } from "../src/platform/wire/ids.ts";',
  "server/test/far.test.ts": 'import { x } from "./work.ts";',
  "server/test/contract.test.ts": 'import { world } from "./world.ts";',
  "server/test/architecture.test.ts": "",
  "server/test/proxy.ts": 'read("operate/nginx.conf")',
  "server/test/behind.test.ts": 'import { x } from "./proxy.ts";',
  "scripts/docs.test.ts": "",
  "web/src/tasks/board.tsx": "",
  "web/test/board.browser.test.ts": "",
  "web/test/inbox.browser.test.ts": "",
};
const files = Object.entries(tree).map(([path, text]) => ({ path, text }));
const ALWAYS = ["scripts/docs.test.ts", "server/test/architecture.test.ts"];
const CONTRACT = "server/test/contract.test.ts";
const selected = (...changed: string[]) =>
  Object.fromEntries(testsOfChange(changed, files).map(({ path, level }) => [path, level]));
/** The others with their levels, such as `lists 0, rules 2`. */
const others = (changed: string) =>
  Object.entries(selected(changed))
    .filter(([path]) => ![...ALWAYS, CONTRACT].includes(path))
    .map(([path, level]) => `${/([^/]+)\.test\.ts$/.exec(path)?.[1]} ${level}`)
    .join(", ");

test("documents select what every change runs, and nothing else", () => {
  expect(Object.keys(selected("docs/glossary.md"))).toEqual(ALWAYS);
  expect(testsOfChange([], files)).toEqual([]);
});

test("a change of the sources of server or contract runs the rules of the contract", () => {
  expect(selected("server/src/platform/wire/ids.ts")).toMatchObject({ [CONTRACT]: 0 });
  expect(selected("server/src/platform/wire/ids.test.ts")).not.toHaveProperty(CONTRACT);
  expect(selected("contract/src/planning/tasks/lists.ts")).toMatchObject({ [CONTRACT]: 0 });
  expect(selected("web/src/tasks/board.tsx")).not.toHaveProperty(CONTRACT);
});

test.each([
  ["the folder, and the room below it", "server/src/planning/tasks/lists.ts", "lists 0, rules 2, plan 3"],
  ["imports, but not those of hubs or types", "server/src/platform/wire/ids.ts", "ids 0, far 2"],
  ["the same path in the contract", "contract/src/planning/tasks/lists.ts", "lists 0, plain 1, rules 2, plan 3"],
  ["the tables of a migration", "server/migrations/0001_tasks.sql", "migrate 1, lists 2, plan 2, rules 2"],
  ["the name of a file that is no module", "operate/nginx.conf", "behind 2"],
  ["a word that a page and its browser test share", "web/src/tasks/board.tsx", "board.browser 2"],
  ["itself, also if it is slow", SLOW, "killed.slow 0, lists 2, rules 2, plan 3"],
])("a test is selected by %s", (_by, changed, expected) => expect(others(changed)).toBe(expected));

test("tests of level 0 always run, and others as far as the time reaches, the nearest and shortest first", () => {
  const levels = [
    { path: "own", level: 0 },
    { path: "near", level: 1 },
    { path: "long", level: 1 },
    { path: "far", level: 3 },
  ];
  const duration = (path: string) => (path === "long" ? 100 : 10);
  expect(withinBudget(levels, 1, duration, 25)).toEqual(["own", "near"]);
  expect(withinBudget(levels, 1, duration, 5)).toEqual(["own"]);
  expect(withinBudget(levels, 3, duration, 20)).toEqual(["own", "near", "far"]);
  expect(withinBudget(levels, 2, duration, 100)).toEqual(["own", "near", "long", "far"]);
});

test("the test of the contract counts as long as its operations take", () => {
  const lasts = (weight: number, path: string) => Math.round(durationOnOperations(weight, () => 100)(path));
  expect([lasts(1, CONTRACT), lasts(0.5, CONTRACT), lasts(0.5, "others")]).toEqual([100, 55, 100]);
});

test("pages and program are built only for tests that use them", () => {
  const kit = [
    { path: "server/test/another-process.ts", text: "spawn(buildServer())" },
    { path: BACKUP, text: 'import { x } from "../../../test/another-process.ts";' },
  ];
  const among = ["server/src/planning/labels/labels.test.ts", BACKUP, "web/test/board.browser.test.ts"];
  expect(testsOfBuilds(among, [...files, ...kit])).toEqual(among.slice(1));
});
