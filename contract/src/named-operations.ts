// The operations that the specification names, with their credentials. The contract declares an operation only when it
// works, so this list is longer; a test compares every declared operation with its entry here.
import named from "../operations.json" with { type: "json" };
import { type AnyOperation, credentialNames, P, pathOf } from "./kit.ts";

export interface Named {
  tag: string;
  method: string;
  /** From the root of the service, with {parameters}. */
  path: string;
  /** The specification's names of the credentials; empty where the operation is public. */
  auth: readonly string[];
  stage?: string;
}
export const namedOperations: readonly Named[] = named;
/** The specification counts one more than it names. */
export const OPERATIONS = 421;

const shape = (method: string, path: string) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`;
const byShape = new Map(namedOperations.map((entry) => [shape(entry.method, entry.path), entry]));

/** The entry with this method and path, regardless of parameter names. */
export const entryFor = (operation: AnyOperation) => byShape.get(shape(operation.method, pathOf(operation)));

/** Differences between an operation and its entry in the specification, one sentence each. */
export function differences(operation: AnyOperation): string[] {
  const entry = entryFor(operation);
  if (!entry && operation.unnamed) return operation.tag ? [] : [`${operation.id}: is not named and declares no tag`];
  if (entry && operation.unnamed) return [`${operation.id}: ${operation.route} is named after all`];
  if (!entry) return [`${operation.id}: ${operation.route} is not named`];
  const auth = operation.auth.flatMap((letter) => (letter === P ? [] : [credentialNames[letter]]));
  const compared = {
    path: [pathOf(operation), entry.path],
    auth: [auth.sort().join(), [...entry.auth].sort().join()],
    stage: [operation.stage, entry.stage],
    tag: [operation.tag ?? entry.tag, entry.tag],
  };
  return Object.entries(compared)
    .filter(([, [found, wanted]]) => found !== wanted)
    .map(([part, [found, wanted]]) => `${operation.id}: ${part} is ${found || "none"}, named ${wanted || "none"}`);
}
