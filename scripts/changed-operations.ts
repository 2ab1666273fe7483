// Selects the operations on which `npm test -- --changed` tests the rules of server/test/contract.test.ts. Pure. That
// test takes longer than all others of most changes together, so it runs on the operations that the change can break.

import type { ChangedOperations } from "../server/test/changed-operations.ts";
import type { File } from "../server/test/source-files.ts";
import { DECLARATION } from "./operation-files.ts";
import { isTestFile } from "./test-tiers.mjs";

/** Files with the rules themselves: changing one runs the whole covering set. */
const RULES =
  /^server\/test\/(?:checks\/|(?:contract|contract-rules|covering-set|planted|changed-operations)(?:\.test)?\.ts$)/;
const FIXTURES = /^server\/test\/fixtures\/(?!fixture\.ts$)[^/]+\.ts$/;
const IN_DOMAIN = /^(?:contract|server)\/src\/([^/]+\/[^/]+)\/(.+)\.ts$/;

/** The operations that each file of the contract declares, by the file's path below contract/src. */
function declaredBy(files: readonly File[]): Map<string, string[]> {
  const found = files
    .filter(({ path }) => /^contract\/src\/.+\/.+\.ts$/.test(path) && !isTestFile(path))
    .map(({ path, text }) => [
      path.replace("contract/src/", ""),
      [...text.matchAll(DECLARATION)].map(([, id]) => id as string),
    ]);
  return new Map(found as [string, string[]][]);
}

/**
 * `domainsOf` returns the folders of the server whose tables a migration names. Null: every operation; undefined: none.
 */
export function operationsOfChange(
  changed: readonly string[],
  files: readonly File[],
  domainsOf: (migration: string) => readonly string[],
): ChangedOperations | null | undefined {
  const sources = changed.filter((path) => /^(?:contract|server)\//.test(path) && !/\.test\.ts$/.test(path));
  if (changed.some((path) => RULES.test(path))) return null;
  if (sources.length === 0) return undefined;
  const declared = declaredBy(files);
  const inDomain = (domain: string) =>
    [...declared].filter(([path]) => path.startsWith(`${domain}/`)).flatMap(([, ids]) => ids);
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const [touched, near] = [new Set<string>(), new Set<string>()];
  let isWide = false;
  for (const path of sources) {
    const [, domain, name] = IN_DOMAIN.exec(path) ?? [];
    const neighbours = domain
      ? inDomain(domain)
      : (path.endsWith(".sql") ? domainsOf(path) : []).flatMap((folder) => inDomain(folder.replace("server/src/", "")));
    const own = FIXTURES.test(path)
      ? [...(texts.get(path) ?? "").matchAll(/^ {2}(\w+)(?::|,$)/gm)].map(([, id]) => id as string)
      : (declared.get(`${domain}/${name}.ts`) ?? []);
    for (const id of own) (FIXTURES.test(path) ? near : touched).add(id);
    for (const id of neighbours) near.add(id);
    // All operations depend on the platform, the test kit and the shared files of the contract.
    if (own.length + neighbours.length === 0) isWide = true;
  }
  return { touched: [...touched].sort(), near: [...near].sort(), isWide };
}

/**
 * Share of the covering set's work for these operations: an operation with every rule is six times the work of one with
 * a few.
 */
export function weightOf(operations: ChangedOperations | null | undefined): number {
  if (!operations) return 1;
  const { touched, near, isWide } = operations;
  return Math.min(1, (touched.length * 6 + near.length * 2 + (isWide ? STANDING * 6 : 0)) / WHOLE);
}
/**
 * Estimated number of operations that together have every value of every property, and the work of the whole covering
 * set.
 */
const STANDING = 25;
const WHOLE = 118 * 6 + 335;
