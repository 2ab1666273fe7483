// Generates the texts of a new operation: declaration, handler, test, fixture and row of roles, each next to similar
// ones. Parts of its sibling are proposed for it, and `proposals` lists those that a person must compare with the
// specification.
import type { AnyOperation } from "../contract/src/kit.ts";
import { entryFor } from "../contract/src/named-operations.ts";
import type { Declared, NewOperation } from "./new-operation-input.ts";
import { FIXTURES, fixtureFile } from "./operation-files-of.ts";
import { withDeclaration, withHandler, withTest } from "./operation-stubs.ts";
import { isOf, ruleOf, sharedBy, siblingOf } from "./sibling-operation.ts";
import { fixtureAdded, type Read, rowAdded } from "./source-edits.ts";

/** Operations that one file may declare (architecture.test.ts). */
const MOST = 12;
/** The path without the prefix of its Workspace. */
const resource = (path: string) => path.replace("/workspaces/{workspace_id}/", "/");

/** The file of the domain with the nearest paths that has room for another operation, or a new file. */
export function contractFileFor({ path, domain, file }: NewOperation, declared: readonly Declared[]): string {
  const inDomain = declared.filter(isOf(domain));
  const folder = `${inDomain[0]?.file.split("/").slice(0, 4).join("/")}/`;
  if (file) return `${folder}${file}.ts`;
  const counts = Map.groupBy(declared, (each) => each.file);
  const [nearest] = inDomain
    .filter((each) => (counts.get(each.file)?.length ?? 0) < MOST)
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

export interface Plan {
  id: string;
  contract: string;
  server: string;
  /** The new texts by their paths. */
  texts: Map<string, string>;
  proposals: string[];
}

export function newOperation(
  input: NewOperation,
  declared: readonly Declared[],
  read: Read,
  matrices: readonly string[],
): Plan {
  const { id, method, path, domain } = input;
  const contract = contractFileFor(input, declared);
  const server = contract.replace("contract/", "server/");
  const ownTest = server.replace(/ts$/, "test.ts");
  const inDomain = declared.filter(isOf(domain));
  const sibling = siblingOf(input, declared);
  const beside = inDomain.find(({ file }) => file === contract) ?? inDomain[0];
  const fixtures = sibling ? fixtureFile(sibling.id) : `${FIXTURES}/${domain}.ts`;
  const isNamed = entryFor({ path, method } as AnyOperation) !== undefined;
  const tag = isNamed ? undefined : (beside?.tag ?? domain);
  const rule = sibling && ruleOf(sibling, read(sibling.file.replace("contract/", "server/")) ?? "", server);
  const rows = sibling ? rowAdded(`${method} ${path}`, sibling.route, matrices, read) : [];
  const as = `as ${sibling?.id} has it (${sibling?.route})`;
  return {
    id,
    contract,
    server,
    texts: new Map([
      [contract, withDeclaration(read(contract), input, contract, tag)],
      [server, withHandler(read(server), input, server, rule)],
      [ownTest, withTest(read(ownTest), input, ownTest)],
      ...fixtureAdded(id, sibling?.id, fixtures, read),
      ...rows,
    ]),
    proposals: [
      ...(rule ? [`access rule ${rule.text} in ${server}, ${as}`] : []),
      ...rows.map(([file]) => `row of roles in ${file}, ${as}: compare it with the specification`),
    ],
  };
}
