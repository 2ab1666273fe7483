// npm run expressions: runs the checker on every regular expression without a verdict, and deletes the verdicts of
// removed ones. A new superlinear expression is printed: rewrite it, or replace its verdict by a sentence that names
// the bound of its input.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectedExpressions } from "../server/test/collected-expressions.ts";
import {
  checkedFolders,
  digestOf,
  type Expression,
  expressionsIn,
  placeOf,
  readVerdicts,
  VERDICTS,
  verdictIn,
} from "../server/test/expressions.ts";

process.env.RECHECK_BACKEND = "pure";
const { checkSync } = await import("recheck");

const root = join(import.meta.dirname, "..");
const before = readVerdicts();
const after: Record<string, string> = {};
function judge(expression: Expression, path: string): void {
  const { source, flags, line } = expression;
  const verdict = verdictIn({ ...before, ...after }, expression, path) ?? verdictOf(source, flags);
  after[verdict === "linear" ? digestOf(expression) : placeOf(expression, path)] = verdict;
  if (verdict === "superlinear") process.stdout.write(`${path}:${line} /${source}/${flags}\n`);
}
for (const folder of checkedFolders)
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(name) || /\.test\.tsx?$/.test(name)) continue;
    const path = join(folder, name);
    for (const found of expressionsIn({ path, text: readFileSync(join(root, path), "utf8") })) judge(found, path);
  }
for (const { expression, path } of collectedExpressions()) judge(expression, path);
const sorted = Object.fromEntries(Object.entries(after).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(VERDICTS, `${JSON.stringify(sorted, null, 2)}\n`);

function verdictOf(source: string, flags: string): string {
  const { status } = checkSync(source, flags.replace("v", "u"), { timeout: 60_000 });
  return status === "safe" ? "linear" : "superlinear";
}
