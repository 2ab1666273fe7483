// Filters the capabilities in a response: of those that role and state allow, keeps the ones that the caller's own
// credential can use. The contract maps a capability to its operations, and those to credential kinds and scopes.
import { type Capability, capabilityWords } from "@svc/contract/capabilities.ts";
import { type AnyOperation, scopeOf } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { accepts, hasScope, type Principal } from "./authentication.ts";
import type { Rendered } from "./implement-operation.ts";

const operationsOf = new Map<string, AnyOperation[]>(
  Object.entries(capabilityWords).map(([word, [, ...ids]]) => [
    word,
    ids.map((id) => operations.get(id) as AnyOperation),
  ]),
);

/** A caller without a principal is about to receive a session, which may do everything. */
const isTold = (word: Capability, principal: Principal | null) =>
  principal === null ||
  operationsOf.get(word)?.some((operation) => {
    const scope = scopeOf(operation);
    return accepts(operation, principal) && (scope === null || hasScope(principal, scope));
  });

export const tellable = (words: readonly Capability[], principal: Principal | null) =>
  words.filter((word) => isTold(word, principal));

/** Adds the filtered capabilities to a response: in JSON that PostgreSQL built, or in an object. */
export function withTellable(answer: Partial<Rendered>, principal: Principal | null): Partial<Rendered> {
  if (answer.capabilities === undefined) return answer;
  const capabilities = tellable(answer.capabilities, principal);
  if (answer.json === undefined) return { ...answer, capabilities };
  return { ...answer, json: `${answer.json.slice(0, -1)}, "capabilities": ${JSON.stringify(capabilities)}}` };
}
