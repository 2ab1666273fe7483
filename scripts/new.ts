// npm run new <operation>: writes the files of a new operation next to similar ones, formats them and updates the
// generated files. It asks nothing and overwrites nothing. `npm run check <operation>` fails on the parts that remain
// to be written, and names their files.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { entryFor } from "../contract/src/named-operations.ts";
import { operations } from "../contract/src/operations.ts";
import { newOperation, type Plan } from "./new-operation.ts";
import { type Declared, Refusal, readInput } from "./new-operation-input.ts";
import { MATRICES } from "./operation-checks.ts";
import { declaringFiles, root } from "./operation-files-of.ts";

/** Every operation with the file that declares it. */
export function declaredOperations(): Declared[] {
  const files = declaringFiles();
  return [...operations.values()].map((operation) => {
    const { id, route, path } = operation;
    return { id, route, path, tag: operation.tag ?? entryFor(operation)?.tag, file: files.get(id) as string };
  });
}

/** Computes the texts and proposals for these arguments; writes nothing. */
export function plan(argv: string[]): Plan {
  const declared = declaredOperations();
  const domains = [...new Set(declared.map(({ file }) => file.split("/")[3] as string))].sort();
  const input = readInput(argv, declared, domains);
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined);
  return newOperation(input, declared, read, MATRICES);
}

function run(argv: string[]): number {
  const { id, contract, server, texts, proposals } = plan(argv);
  for (const [path, text] of texts) {
    const file = join(root, path);
    console.log(`${existsSync(file) ? "changed" : "written"}: ${path}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
  const steps = [[biome, "check", "--write", "--log-level=error", ...texts.keys()], ["scripts/docs.ts"]];
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: "inherit" });
    if (status !== 0) return status ?? 1;
  }
  for (const proposal of proposals) console.log(`proposed: ${proposal}`);
  console.log(`\nWrite the declaration in ${contract} and the handler in ${server}. What is left: npm run check ${id}`);
  return 0;
}

if (import.meta.main)
  try {
    process.exitCode = run(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Refusal) && !String((error as { code?: unknown }).code).startsWith("ERR_PARSE_ARGS"))
      throw error;
    console.error((error as Error).message);
    process.exitCode = 1;
  }
