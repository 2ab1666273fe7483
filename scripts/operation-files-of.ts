// The files of one operation: the declaration, the handler at the mirrored path, the tests of its domain, its fixture.
// It only reads the sources, so that it also works for an operation with which the service does not start.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contractFiles, DECLARATION } from "./operation-files.ts";

export const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const filesIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`)
    .sort();

/** The file of the contract that declares each operation, by the operation's name. */
export function declaringFiles(): Map<string, string> {
  const found = contractFiles().flatMap(({ path, text }) =>
    [...text.matchAll(DECLARATION)].map(([, id]) => [id as string, path] as const),
  );
  return new Map(found);
}

export const FIXTURES = "server/test/fixtures";
/** The fixture file of this operation, if it has one. */
export const fixtureFile = (id: string) =>
  filesIn(FIXTURES).find((path) => new RegExp(`^ {2}${id}(?::|,$)`, "m").test(read(path)));

export interface OperationFiles {
  contract: string;
  server: string;
  isImplemented: boolean;
  /** The test file next to the handler, whether it exists or not. */
  ownTest: string;
  /** The own test file, and from the other files of its folder the tests that name the operation or its path. */
  tests: TestSelection[];
}
export interface TestSelection {
  file: string;
  /** Selects tests by their full names; without it all tests of the file. */
  pattern?: RegExp;
}

export const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The names of the tests in which a line matches. */
function testsThat(calls: RegExp, text: string): string[] {
  let name: string | undefined;
  const found = new Set<string>();
  for (const line of text.split("\n")) {
    name = /^\s*test(?:\.\w+)?\("([^"]+)"/.exec(line)?.[1] ?? (/^\s*(?:test|describe)\b/.test(line) ? undefined : name);
    if (name !== undefined && calls.test(line)) found.add(name);
  }
  return [...found];
}

function testsBeside(folder: string, ownTest: string, called: Called): TestSelection[] {
  if (!existsSync(join(root, folder))) return [];
  const calls = callsOf(called);
  /** A test file named after the operation, such as login.test.ts. */
  const named = `${folder}/${called.id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.test.ts`;
  return filesIn(folder)
    .filter((file) => /\/[^./]+\.test\.ts$/.test(file))
    .flatMap((file) => {
      if (file === ownTest || file === named) return [{ file }];
      const names = testsThat(calls, read(file)).map(escaped);
      return names.length > 0 ? [{ file, pattern: new RegExp(`(?:^|[ >])(?:${names.join("|")})$`) }] : [];
    });
}

/**
 * Matches a line that calls the operation by name or at its path; the same path with another method is another
 * operation.
 */
export function callsOf({ id, method, path }: Called): RegExp {
  const address = escaped(path).replace(/\\\{\w+\\\}/g, '[^/"`?]+');
  const otherMethod = `"(?!${method}")(?:GET|POST|PUT|PATCH|DELETE)",\\s*`;
  // An id of one word is a common word in tests: it counts only as a string or a property.
  const name = /[A-Z]/.test(id) ? `\\b${id}\\b` : `["'.]${id}\\b`;
  return new RegExp(`${name}|(?<!${otherMethod})["\`]${address}["\`?]`);
}
export interface Called {
  id: string;
  method: string;
  path: string;
}

export function filesOf(operation: Called, contract: string): OperationFiles {
  const { id } = operation;
  const server = contract.replace(/^contract\//, "server/");
  const ownTest = server.replace(/ts$/, "test.ts");
  const folder = server.slice(0, server.lastIndexOf("/"));
  const handler = existsSync(join(root, server)) ? read(server) : "";
  return {
    contract,
    server,
    isImplemented: new RegExp(`^export const ${id} = implement`, "m").test(handler),
    ownTest,
    tests: testsBeside(folder, ownTest, operation),
  };
}
