// The files of a new operation, as texts: declaration, handler, test, fixture and row of roles, each beside its neighbours.
import type { AnyOperation } from "../contract/src/kit.ts";
import { entryFor } from "../contract/src/named.ts";
import type { Declared, NewOperation } from "./new-operation-input.ts";
import { withDeclaration, withHandler, withTest } from "./operation-stubs.ts";
import { fixtureAdded, type Read, rowAdded, sharedBy } from "./source-edits.ts";

/** Operations that one file may declare (architecture.test.ts). */
const MOST = 12;
/** The path without the Workspace that it is in. */
const resource = (path: string) => path.replace("/workspaces/{workspace_id}/", "/");

/** The file of the domain whose operations have the nearest paths and which has room, or a new one. */
export function contractFileFor({ path, domain, file }: NewOperation, declared: readonly Declared[]): string {
  const folder = `contract/src/${domain}/`;
  if (file) return `${folder}${file}.ts`;
  const counts = Map.groupBy(declared, (each) => each.file);
  const [nearest] = declared
    .filter((each) => each.file.startsWith(folder) && (counts.get(each.file)?.length ?? 0) < MOST)
    .map((each) => ({ file: each.file, shared: sharedBy(resource(path), resource(each.path)) }))
    .filter(({ shared }) => shared > 1)
    .sort((a, b) => b.shared - a.shared);
  return (
    nearest?.file ??
    `${folder}${resource(path)
      .split("/")[1]
      ?.replace(/[^a-z0-9]+/g, "-")}.ts`
  );
}

/** The new texts by their paths. */
export function newOperation(
  input: NewOperation,
  declared: readonly Declared[],
  read: Read,
  tests: { fixtures: readonly string[]; matrices: readonly string[] },
): Map<string, string> {
  const { id, method, path, domain } = input;
  const contract = contractFileFor(input, declared);
  const server = contract.replace("contract/", "server/");
  const ownTest = server.replace(/ts$/, "test.ts");
  const inDomain = declared.filter(({ file }) => file.startsWith(`contract/src/${domain}/`));
  const inFile = inDomain.filter(({ file }) => file === contract);
  const neighbours = inFile.length > 0 ? inFile : inDomain;
  const ofDomain = tests.fixtures.filter((file) => inFile.length === 0 && file.endsWith(`/${domain}.ts`));
  const isNamed = entryFor({ path, method } as AnyOperation) !== undefined;
  const tag = isNamed ? undefined : (neighbours.find((each) => each.tag)?.tag ?? domain);
  return new Map([
    [contract, withDeclaration(read(contract), input, contract, tag)],
    [server, withHandler(read(server), input, server)],
    [ownTest, withTest(read(ownTest), input)],
    ...fixtureAdded(
      id,
      neighbours.map((each) => each.id),
      ofDomain.length > 0 ? ofDomain : tests.fixtures,
      read,
    ),
    ...rowAdded(`${method} ${path}`, tests.matrices, read),
  ]);
}
