// What an answer tells of what can be done: of the words that role and state allow, those with which the caller's own credential could do
// something. Which operations a word is about is in the contract; which credential and scope they take, too.
import { type Capability, capabilityWords } from "@svc/contract/capabilities.ts";
import { type AnyOperation, scopeOf } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { accepts, hasScope, type Principal } from "./authenticate.ts";
import type { Rendered } from "./implement.ts";

const operationsOf = new Map<string, AnyOperation[]>(
  Object.entries(capabilityWords).map(([word, [, ...ids]]) => [
    word,
    ids.map((id) => operations.get(id) as AnyOperation),
  ]),
);

/** Whoever is not known yet is about to be given a session, which may do everything. */
const isTold = (word: Capability, principal: Principal | null) =>
  principal === null ||
  operationsOf.get(word)?.some((operation) => {
    const scope = scopeOf(operation);
    return accepts(operation, principal) && (scope === null || hasScope(principal, scope));
  });

export const tellable = (words: readonly Capability[], principal: Principal | null) =>
  words.filter((word) => isTold(word, principal));

/** The answer with the words that its caller is told: in JSON that PostgreSQL built, or in an object. */
export function withTellable(answer: Partial<Rendered>, principal: Principal | null): Partial<Rendered> {
  if (answer.capabilities === undefined) return answer;
  const capabilities = tellable(answer.capabilities, principal);
  if (answer.json === undefined) return { ...answer, capabilities };
  return { ...answer, json: `${answer.json.slice(0, -1)}, "capabilities": ${JSON.stringify(capabilities)}}` };
}
