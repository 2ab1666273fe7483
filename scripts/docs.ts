// npm run docs: writes the generated files: the registry of operations (operation-files.ts) and the documents
// (docs-generated.ts). With --check it writes nothing and fails if one of them is stale.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contractFiles, operationFiles } from "./operation-files.ts";

const root = join(import.meta.dirname, "..");

/** The files whose text differs from the expected one. */
export const staleOf = (files: ReadonlyMap<string, string>) =>
  [...files].filter(([file, text]) => !existsSync(join(root, file)) || readFileSync(join(root, file), "utf8") !== text);

/** Writes the registry of operations; returns the files that were stale. */
export function writeRegistry(): string[] {
  const stale = staleOf(operationFiles(contractFiles()));
  for (const [file, text] of stale) writeFileSync(join(root, file), text);
  return stale.map(([file]) => file);
}

if (import.meta.main) {
  const check = process.argv.includes("--check");
  // The documents are generated from the operations, which load only with an up-to-date registry.
  const registry = check ? staleOf(operationFiles(contractFiles())).map(([file]) => file) : writeRegistry();
  const documents = registry.length > 0 && check ? [] : staleOf((await import("./docs-generated.ts")).generated());
  if (!check) for (const [file, text] of documents) writeFileSync(join(root, file), text);
  const changed = [...registry, ...documents.map(([file]) => file)];
  for (const file of changed) console.log(`${check ? "stale" : "written"}: ${file}`);
  if (check && changed.length > 0) process.exit(1);
}
