// References between the top-level declarations of the service, to find the tests nearest to a line: the declarations
// that use the one around it, those that use these, and so on.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { nodesIn, type Syntax, statementsOf } from "./syntax.ts";

export const root = join(import.meta.dirname, "../..");
export interface File {
  path: string;
  text: string;
}
interface Declaration {
  path: string;
  names: string[];
  start: number;
  end: number;
  /** `path#name` of everything that it uses. */
  uses: Set<string>;
}

export const isTest = (path: string) => /\.test\.tsx?$/.test(path);
/** Files of the server with their text, by their path from the root of the repository. */
export function serverFiles(): File[] {
  return ["server/src", "server/test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".ts"))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  );
}

const named = (node: unknown) => String((node as Syntax).name ?? (node as Syntax).value);

/** Local names of a file: `path#name` of an import, `path#*` of a namespace. */
function importsOf(path: string, statements: readonly Syntax[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { type, source, specifiers, ...rest } of statements) {
    const from = (source as Syntax | null | undefined)?.value;
    if (typeof from !== "string" || !from.startsWith(".")) continue;
    const target = posix.normalize(posix.join(dirname(path).replaceAll("\\", "/"), from));
    if (type === "ExportAllDeclaration") found.set(`* ${rest.start}`, `${target}#*`);
    for (const each of (specifiers as Syntax[] | undefined) ?? [])
      if (each.type === "ImportSpecifier") found.set(named(each.local), `${target}#${named(each.imported)}`);
      else if (each.type === "ImportNamespaceSpecifier") found.set(named(each.local), `${target}#*`);
      else if (each.type === "ExportSpecifier") found.set(named(each.exported), `${target}#${named(each.local)}`);
  }
  return found;
}

function namesOf(statement: Syntax): string[] {
  const declaration = (statement.declaration as Syntax | null | undefined) ?? statement;
  const patterns = declaration.type === "VariableDeclaration" ? (declaration.declarations as Syntax[]) : [declaration];
  return patterns.flatMap(({ id }) =>
    id
      ? [...nodesIn(id as Syntax)].filter(({ node }) => node.type === "Identifier").map(({ node }) => named(node))
      : [],
  );
}

function usesOf(path: string, statement: Syntax, imports: ReadonlyMap<string, string>, own: ReadonlySet<string>) {
  const uses = new Set<string>();
  for (const { node, above } of nodesIn(statement)) {
    if (node.type !== "Identifier") continue;
    const name = named(node);
    const target = imports.get(name);
    const parent = above.at(-1);
    if (target?.endsWith("#*")) {
      const isMember = parent?.type === "MemberExpression" && parent.object === node;
      uses.add(isMember ? target.replace("*", named(parent.property)) : target);
    } else if (target) uses.add(target);
    else if (own.has(name)) uses.add(`${path}#${name}`);
  }
  return uses;
}

export function declarationsOf({ path, text }: File): Declaration[] {
  const statements = statementsOf(path, text);
  const imports = importsOf(path, statements);
  const own = new Set(statements.flatMap(namesOf));
  return statements
    .filter(({ type }) => type !== "ImportDeclaration")
    .map((statement) => ({
      path,
      names: namesOf(statement),
      start: statement.start,
      end: statement.end,
      uses: usesOf(path, statement, imports, own),
    }));
}

/** Registries of everything: using one does not make a declaration nearer. */
const HUB = /^server\/src\/(?:server|main|operations|operation-files|domain-jobs|constraints)\.ts$/;

export type Users = ReadonlyMap<string, readonly Declaration[]>;
/** The declarations that use a name, by `path#name`. */
export function usersIn(declarations: readonly Declaration[]): Users {
  const users = new Map<string, Declaration[]>();
  for (const each of declarations)
    for (const used of HUB.test(each.path) ? [] : each.uses) {
      const known = users.get(used);
      if (known) known.push(each);
      else users.set(used, [each]);
    }
  return users;
}

/** Declarations that use a declaration, nearest first, with their distance; the declaration itself has distance 0. */
export function usersOf(users: Users, first: Declaration, deepest: number): Map<Declaration, number> {
  const found = new Map([[first, 0]]);
  for (const [each, distance] of found)
    if (distance < deepest)
      for (const name of each.names)
        for (const user of users.get(`${each.path}#${name}`) ?? []) if (!found.has(user)) found.set(user, distance + 1);
  return found;
}

/** Folders of the files that import a file. */
export function importingFolders(users: Users, path: string): Set<string> {
  const importers = [...users].filter(([name]) => name.startsWith(`${path}#`)).flatMap(([, each]) => each);
  return new Set(importers.map((each) => folderOf(each.path)));
}
export const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));
