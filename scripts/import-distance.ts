// How many imports lie between changed files and the files that use them, for changed-tests.ts. Pure. Type-only imports
// do not count: the compiler checks them. A file that is not a module, such as an SQL dump or a proxy configuration, is
// used by the sources that name it.
import { basename, dirname } from "node:path/posix";
import { type File, importsOf } from "../server/test/source-files.ts";
import { isTestFile } from "./test-tiers.mjs";

const IS_MODULE = /\.(?:ts|tsx|mjs)$/;
/** Programs are also started by name, as processes of their own. */
const STARTED_BY_NAME = /^(?:scripts|examples|bench)\//;
/** Many files of the test kit read a version from it: only test files that name it themselves count. */
const MANIFEST = /(?:^|\/)package(?:-lock)?\.json$/;
/** Folder names that say nothing about the files in them. */
const GENERIC_FOLDERS = new Set([".", "src", "test", "docs", "scripts", "web", "cli", "client", "server"]);

/** The shortest distance of each file from a changed one, up to `most`. Importers of a hub are not followed. */
export function importDistances(
  changed: readonly string[],
  files: readonly File[],
  isHub: (path: string) => boolean,
  most: number,
): Map<string, number> {
  const importers = new Map<string, string[]>();
  for (const { from, to, typeOnly } of files.flatMap(importsOf))
    if (!typeOnly) importers.set(to, [...(importers.get(to) ?? []), from]);
  const usersOf = (path: string) => [
    ...(importers.get(path) ?? []),
    ...(changed.includes(path) ? naming(path, files) : []),
  ];
  const distances = new Map(changed.map((path) => [path, 0]));
  let edge = [...changed];
  for (let distance = 1; distance <= most; distance++) {
    const next = new Set(
      edge
        .filter((path) => !isHub(path))
        .flatMap(usersOf)
        .filter((path) => !distances.has(path)),
    );
    for (const path of next) distances.set(path, distance);
    edge = [...next];
  }
  return distances;
}

/** The sources with a string that ends with the name of the file, or with that of its folder. */
function naming(path: string, files: readonly File[]): string[] {
  if (IS_MODULE.test(path) && !STARTED_BY_NAME.test(path)) return [];
  const folder = basename(dirname(path));
  const isFolderNamed = !IS_MODULE.test(path) && !GENERIC_FOLDERS.has(folder);
  const names = [basename(path), ...(isFolderNamed ? [folder] : [])].flatMap((name) => [`${name}"`, `${name}\``]);
  return files
    .filter((file) => !MANIFEST.test(path) || isTestFile(file.path))
    .filter(({ text }) => names.some((name) => text.includes(name)))
    .map((file) => file.path);
}
