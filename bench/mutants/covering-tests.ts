// The test files that cover a line, nearest first: those named after a file whose declarations use it, those that
// import it, those that call an operation that reaches it, then the others of its domain.
import { posix } from "node:path";
import { operations } from "@svc/contract/operations.ts";
import { declarationsOf, type File, folderOf, importingFolders, isTest, usersIn, usersOf } from "./references.ts";

/**
 * Tests that start processes or a browser: an in-process change does not reach what they test, or they take too long.
 */
const SLOW = /\.browser\.test|\.slow\.test|killed|\.nginx\.|\.caddy\.|explain|operate|chaos|start\.test|releases/;
const DEEPEST = 7;
const STEP = 10;
const OTHER_DOMAIN = 6;
const [NAMED, IMPORTED, CALLED, OVER, SAME_FOLDER, IMPORTING_FOLDER] = [1, 2, 3, 8 - OTHER_DOMAIN, 45, 80];

const domainOf = (path: string) => path.split("/").slice(0, 4).join("/");

export interface Covering {
  file: string;
  /** Only the tests of these names; all tests where it is undefined. */
  names?: RegExp;
}
export interface Coverage {
  testsOf(path: string, position: number): Covering[];
}

/** Tests that run over every operation, in test cases named after it. */
const OVER_ALL = /^server\/test\/(?:contract\.slow|hidden|role-matrix|archived|unchanged|undoable)\.test\.ts$/;
/** Operations that contribute tests, nearest first. */
const OPERATIONS = 3;
const MOST_FILES = 24;
/** Escapes a text for a regular expression. */
export const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
/** The name of a test about one of these operations: its id, or its method and path. */
const namesOf = (ids: readonly string[]) =>
  new RegExp(
    ids
      .flatMap((id) => [id, operations.get(id)?.route ?? id])
      .map((name) => `(?<![\\w/])${escaped(name)}(?![\\w/])`)
      .join("|"),
  );

const mirrors = (test: string, source: string) =>
  test === source.replace(/\.ts$/, ".test.ts") || test === `server/test/${posix.basename(source, ".ts")}.test.ts`;

/** `members-find.test.ts` tests `members.ts`. */
const isNamedAfter = (test: string, source: string) => test.startsWith(`${source.replace(/\.ts$/, "")}-`);

export function coverageOf(files: readonly File[]): Coverage {
  const overAll = files.filter(({ path }) => OVER_ALL.test(path)).map(({ path }) => path);
  const tests = files.filter(({ path }) => isTest(path) && !SLOW.test(path) && !OVER_ALL.test(path));
  const sources = files.filter(({ path }) => path.startsWith("server/src/") && !isTest(path));
  const declarations = sources.flatMap(declarationsOf);
  const users = usersIn(declarations);
  const imports = new Map(
    tests.map((test) => [test.path, new Set(declarationsOf(test).flatMap(({ uses }) => [...uses]))]),
  );
  const calls = new Map<string, ReadonlyMap<string, number>>();
  const callsOf = (id: string) => {
    const known = calls.get(id) ?? callsIn(tests, id);
    calls.set(id, known);
    return known;
  };
  return {
    testsOf(path, position) {
      const first = declarations.find((each) => each.path === path && each.start <= position && position < each.end);
      const ranks = new Map<string, number>();
      const rank = (test: string, value: number) => {
        const away = domainOf(test) === domainOf(path) ? 0 : OTHER_DOMAIN;
        ranks.set(test, Math.min(ranks.get(test) ?? Number.POSITIVE_INFINITY, value + away));
      };
      const reached: string[] = [];
      for (const [user, distance] of first ? usersOf(users, first, DEEPEST) : []) {
        const names = user.names.map((name) => `${user.path}#${name}`);
        for (const test of tests) {
          if (mirrors(test.path, user.path)) rank(test.path, distance * STEP);
          else if (isNamedAfter(test.path, user.path)) rank(test.path, distance * STEP + NAMED);
          const used = imports.get(test.path);
          if (names.some((name) => used?.has(name))) rank(test.path, distance * STEP + IMPORTED);
        }
        for (const name of user.names)
          if (operations.has(name)) {
            reached.push(name);
            if (reached.length === 1) for (const file of overAll) rank(file, distance * STEP + OVER);
            for (const [test, count] of callsOf(name)) rank(test, distance * STEP + CALLED + 2 / count);
          }
      }
      for (const test of tests) if (folderOf(test.path) === folderOf(path)) rank(test.path, SAME_FOLDER);
      const importing = importingFolders(users, path);
      for (const test of tests) if (importing.has(folderOf(test.path))) rank(test.path, IMPORTING_FOLDER);
      const names = namesOf(reached.slice(0, OPERATIONS));
      return [...ranks]
        .sort(([, one], [, other]) => one - other)
        .slice(0, MOST_FILES)
        .map(([file]) => (OVER_ALL.test(file) ? { file, names } : { file }));
    },
  };
}

/** Number of calls of an operation in each test, whatever the parameters of its path. */
function callsIn(tests: readonly File[], id: string): ReadonlyMap<string, number> {
  const operation = operations.get(id);
  if (!operation) return new Map();
  const address = operation.path.replace(/[.+]/g, "\\$&").replace(/\{\w+\}/g, '[^/"`?]+');
  const call = new RegExp(`\\b${id}\\b|"${operation.method}",\\s*["\`]${address}["\`?]`, "g");
  const counted = tests.map(({ path, text }) => [path, text.match(call)?.length ?? 0] as const);
  return new Map(counted.filter(([, count]) => count > 0));
}
