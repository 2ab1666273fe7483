// Selects the test files that a change can break, for `npm test -- --changed`. Nearly every test of the server imports all of it through
// server/test/world.ts, so the import graph is cut at such hubs, and the folders of the change decide as well. A selection is an estimate:
// `npm test` remains the proof.
import { basename, dirname } from "node:path/posix";
import type { File } from "../server/test/architecture.ts";
import { importDistances } from "./import-distance.ts";
import { durationOf, workersFor } from "./test-durations.mjs";
import { isSlow, isTestFile } from "./test-tiers.mjs";

const HUB =
  /^(?:server\/test\/world\.ts|server\/src\/(?:server|main|operations|operation-files|background|constraints)\.ts|contract\/src\/(?:operations|operation-files|kit)\.ts|web\/src\/(?:main|app)\.tsx)$/;
const FARTHEST = 3;
/** Budget of test durations for each worker: types, lint and the start of the database bring the total to less than 90 s. */
const BUDGET_MS = 28_000;
/** In budgets, how long a single file may last that does not belong to the change itself. */
const LONGEST = 1.2;
/** Share of the stored duration of a test of the contract that does not depend on the number of operations. */
const FIXED = 0.1;

const CONTRACT_WIDE = /^(?:contract\/src\/[^/]+|server\/test\/(?:contract|openapi|wire-names))\.test\.ts$/;
const SCHEMA_WIDE = /^server\/(?:test\/tenancy|src\/database\/migrat[^/]*)\.test\.ts$/;

export interface Selected {
  path: string;
  /** 0: belongs to the changed file or to every change; above that, the distance from the change. */
  level: number;
}

const stemOf = (path: string) => basename(path).replace(/\..*$/, "");
/** `server/src/tasks` of `server/src/tasks/lists/board.ts`, `cli` of `cli/src/main.ts`. */
const domainOf = (path: string) => /^(?:server|contract|web)\/src\/[^/]+(?=\/)|^[^/]+(?=\/)/.exec(path)?.[0] ?? "";
const wordsOf = (path: string) => path.split(/[/.-]/).map((word) => word.replace(/s$/, ""));

/** Folders of the server that write to a table which the migration names. */
export function domainsOfTables(migration: string, files: readonly File[]): string[] {
  const tables = [...migration.matchAll(/\b(?:table|on|into|update)\s+(?:if (?:not )?exists\s+|only\s+)*(\w+)/gi)].map(
    ([, table]) => table,
  );
  if (tables.length === 0) return [];
  const writes = new RegExp(`\\b(?:insert into|update|delete from)\\s+(?:${[...new Set(tables)].join("|")})\\b`, "i");
  return files
    .filter(({ path, text }) => path.startsWith("server/src/") && !isTestFile(path) && writes.test(text))
    .map(({ path }) => domainOf(path));
}

/** The level of a test beside one changed file; Infinity if only its imports can connect them. */
function levelBeside(test: string, changed: string, domains: readonly string[]): number {
  const mirrored = changed.replace(/^contract\//, "server/");
  if (test === changed) return 0;
  if (dirname(test) === dirname(mirrored) && stemOf(test) === stemOf(mirrored)) return 0;
  if (changed.startsWith("contract/") && CONTRACT_WIDE.test(test)) return 1;
  if (/^server\/migrations\//.test(changed))
    return SCHEMA_WIDE.test(test) ? 1 : domains.includes(domainOf(test)) ? 2 : Number.POSITIVE_INFINITY;
  if (test.startsWith("web/test/") && changed.startsWith("web/src/"))
    return wordsOf(stemOf(test)).some((word) => wordsOf(changed).includes(word)) ? 2 : Number.POSITIVE_INFINITY;
  if (changed.startsWith("cli/") && test.startsWith("cli/")) return stemOf(test) === stemOf(changed) ? 0 : 3;
  if (!/^(?:server|web|contract)\/src\/[^/]+\//.test(changed)) return Number.POSITIVE_INFINITY;
  if (dirname(test) === dirname(mirrored)) return 2;
  return domainOf(test) === domainOf(mirrored) ? 3 : Number.POSITIVE_INFINITY;
}

const CONTRACT = "server/test/contract.test.ts";
function isAlwaysRun(test: string, changed: readonly string[]): boolean {
  if (test === "scripts/docs.test.ts" || test === "server/test/architecture.test.ts") return true;
  return test === CONTRACT && changed.some((path) => /^(?:contract|server)\//.test(path) && !isTestFile(path));
}

/** The stored duration, and of the contract's test the share that its operations take of it. */
export function durationOnOperations(weight: number, duration = durationOf()) {
  const share = FIXED + (1 - FIXED) * weight;
  return (path: string) => (path === CONTRACT ? duration(path) * share : duration(path));
}

/** Every first-tier test that the change can break, nearest first; slow tests only if they changed themselves. */
export function testsOfChange(changed: readonly string[], files: readonly File[]): Selected[] {
  const distances = importDistances(changed, files, (path) => HUB.test(path), FARTHEST);
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const changes = changed.map((path) => ({
    path,
    domains: path.endsWith(".sql") ? domainsOfTables(texts.get(path) ?? "", files) : [],
  }));
  return files
    .filter(({ path }) => isTestFile(path) && (!isSlow(path) || changed.includes(path)))
    .map(({ path }) => {
      const beside = changes.map((change) => levelBeside(path, change.path, change.domains));
      const always = isAlwaysRun(path, changed) && changed.length > 0 ? 0 : Number.POSITIVE_INFINITY;
      return { path, level: Math.min(always, distances.get(path) ?? Number.POSITIVE_INFINITY, ...beside) };
    })
    .filter(({ level }) => level <= FARTHEST)
    .sort((a, b) => a.level - b.level || (a.path < b.path ? -1 : 1));
}

/**
 * All tests of level 0, and as many of the others as fit into the time, nearest and shortest first. The sum is limited too: workers that wait
 * for a long test still share the processors.
 */
export function withinBudget(
  selected: readonly Selected[],
  workers = workersFor(),
  duration = durationOf(),
  budget = BUDGET_MS,
): string[] {
  const chosen = selected.filter(({ level }) => level === 0).map(({ path }) => path);
  const sum = (durations: readonly number[]) => durations.reduce((total, ms) => total + ms, 0);
  const longest = Math.max(LONGEST * budget, ...chosen.map(duration));
  const fits = (durations: readonly number[]) =>
    sum(durations) <= budget * workers && Math.max(...durations) <= longest;
  const ranked = selected
    .filter(({ level }) => level > 0)
    .sort((a, b) => a.level - b.level || duration(a.path) - duration(b.path));
  for (const { path } of ranked) if (fits([...chosen, path].map(duration))) chosen.push(path);
  return chosen;
}

const BUILDS = /\bbuildWeb\b|\bbuildServer\b|web\/dist|server\/dist|@sparticuz\/chromium/;
/** The tests that use the pages or the built service: their files say so, or those that they import do, hubs aside. */
export function testsOfBuilds(tests: readonly string[], files: readonly File[]): string[] {
  const builders = files
    .filter(({ path, text }) => BUILDS.test(text) && !/^server\/(?:src\/web\/web|test\/setup)\.ts$/.test(path))
    .map(({ path }) => path);
  const distances = importDistances([...builders, "server/src/web/web.ts"], files, (path) => HUB.test(path), FARTHEST);
  return tests.filter((path) => /^(?:web|server\/src\/web)\//.test(path) || distances.has(path));
}
