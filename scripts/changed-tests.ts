// Selects the test files that a change can break, for `npm test -- --changed`. Nearly every test of the server imports
// all of it through server/test/world.ts, so the import graph is cut at such hubs, and the folders of the change decide
// as well. A selection is an estimate: `npm test` remains the proof.
import { basename, dirname } from "node:path/posix";
import type { File } from "../server/test/source-files.ts";
import { importDistances } from "./import-distance.ts";
import { isSlow, isTestFile } from "./test-tiers.mjs";

const HUB =
  /^(?:server\/test\/world\.ts|server\/src\/(?:server|main|operations|operation-files|domain-jobs|constraints)\.ts|contract\/src\/(?:operations|operation-files|kit)\.ts|web\/src\/(?:main|app)\.tsx)$/;
const FARTHEST = 3;
const CONTRACT_WIDE = /^(?:contract\/src\/[^/]+|server\/test\/(?:contract|openapi|wire-names))\.test\.ts$/;
const SCHEMA_WIDE = /^server\/(?:test\/tenancy|src\/platform\/database\/migrat[^/]*)\.test\.ts$/;

export interface Selected {
  path: string;
  /** 0: belongs to the changed file or to every change; above that, the distance from the change. */
  level: number;
}

const stemOf = (path: string) => basename(path).replace(/\..*$/, "");
/** `server/src/planning/tasks` of `server/src/planning/tasks/lists/board.ts`, `cli` of `cli/src/main.ts`. */
const domainOf = (path: string) =>
  /^(?:(?:server|contract)\/src\/[^/]+|web\/src)\/[^/]+(?=\/)|^[^/]+(?=\/)/.exec(path)?.[0] ?? "";
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

/** The level of a test for one changed file; Infinity if only imports can connect them. */
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

export const CONTRACT = "server/test/contract.test.ts";
function isAlwaysRun(test: string, changed: readonly string[]): boolean {
  if (test === "scripts/docs.test.ts" || test === "server/test/architecture.test.ts") return true;
  return test === CONTRACT && changed.some((path) => /^(?:contract|server)\//.test(path) && !isTestFile(path));
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

const BUILDS = /\bbuildWeb\b|\bbuildServer\b|web\/dist|server\/dist|@sparticuz\/chromium/;
/**
 * The tests that use the pages or the built service: their sources name them, or those of their imports do, hubs
 * excluded.
 */
export function testsOfBuilds(tests: readonly string[], files: readonly File[]): string[] {
  const builders = files
    .filter(
      ({ path, text }) => BUILDS.test(text) && !/^server\/(?:src\/surfaces\/pages\/web|test\/setup)\.ts$/.test(path),
    )
    .map(({ path }) => path);
  const distances = importDistances(
    [...builders, "server/src/surfaces/pages/web.ts"],
    files,
    (path) => HUB.test(path),
    FARTHEST,
  );
  return tests.filter((path) => /^(?:web|server\/src\/surfaces\/pages)\//.test(path) || distances.has(path));
}
