// Finds the lines that declare, implement and test an operation, or that declare, throw and test an error code, for npm
// run where. Accepts createTask, /api/v1/tasks/0198.../comments, "POST /tasks/{task_id}/comments" and
// revision_conflict.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errors } from "../contract/src/errors.ts";
import type { AnyOperation } from "../contract/src/kit.ts";
import { operations } from "../contract/src/operations.ts";

const root = join(import.meta.dirname, "..");
const isTest = (path: string) => path.includes(".test.") || path.includes("/test/");
const files = ["contract/src", "server/src", "server/test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`)
    .sort(),
);
type Files = (path: string) => boolean;
const find = (pattern: RegExp, among: Files) =>
  files.filter(among).flatMap((path) =>
    readFileSync(join(root, path), "utf8")
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`  ${path}:${index + 1}  ${line.trim().slice(0, 100)}`] : [])),
  );

/**
 * Operations at a path with parameters or with values for them; of several matches, the one with the fewest parameters.
 */
function operationsAt(asked: string): AnyOperation[] {
  const [, method, address = ""] = /^(?:([A-Z]+) +)?(?:https?:\/\/[^/]+)?(?:\/api\/v1)?(\/[^?]*)/.exec(asked) ?? [];
  const matching = [...operations.values()].filter(
    ({ path, ...operation }) =>
      (!method || operation.method === method) && new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}/?$`).test(address),
  );
  const fewest = Math.min(...matching.map(({ params }) => params.length));
  return matching.filter(({ params }) => params.length === fewest);
}

/** A test names an operation by its id or by its method and path, whatever the parameters. */
function whereOperation({ id, method, path, route }: AnyOperation): string[] {
  const address = path.replace(/[.+]/g, "\\$&").replace(/\{\w+\}/g, '[^/"`?]+');
  const call = new RegExp(`\\b${id}\\b|"${method}",\\s*["\`]${address}["\`?]`);
  const declared = find(new RegExp(`^export const ${id}\\b`), (file) => file.startsWith("contract/"));
  const file = declared[0]?.split(":")[0]?.trim().replace("contract/", "server/") ?? "";
  return [
    `${id}: ${route}`,
    "declared",
    ...declared,
    "implemented",
    ...find(new RegExp(`^export const ${id}\\b`), (name) => name === file),
    "proved",
    ...files.filter((name) => name === file.replace(/ts$/, "test.ts")).map((name) => `  ${name}:1`),
    ...find(call, (name) => isTest(name) && name.startsWith("server/")),
  ];
}

function whereCode(code: string): string[] {
  const used = new RegExp(`"${code}"`);
  return [
    `${code}: ${errors[code as keyof typeof errors].status}`,
    "declared",
    ...find(new RegExp(`^ {2}${code}: entry`), (file) => /^contract\/src\/(?:.+\/)?errors\.ts$/.test(file)),
    ...find(used, (file) => file.startsWith("contract/") && !isTest(file)),
    "thrown",
    ...find(used, (file) => file.startsWith("server/src/") && !isTest(file)),
    "proved",
    ...find(used, isTest),
  ];
}

/** The lines about an operation or error code; none if the name is unknown. */
export function linesOf(asked: string): string[] {
  if (Object.hasOwn(errors, asked)) return whereCode(asked);
  const byName = operations.get(asked);
  return (byName ? [byName] : operationsAt(asked)).flatMap(whereOperation);
}
