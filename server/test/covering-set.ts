// The covering set: how the first tier tests the rules of checks/ without every operation meeting every rule.
// Operations that the pipeline treats alike form a class. One operation of each class is tested with every rule, and
// each of the others with its first success and three more rules, chosen by a hash of its name. contract.slow.test.ts
// tests every operation with every rule.
import { createHash } from "node:crypto";
import { type AnyOperation, takesIfMatch, takesKey } from "@svc/contract/kit.ts";
import { implementations } from "../src/operations.ts";
import type { Implementation } from "../src/platform/kernel/implement-operation.ts";
import type { Check, Checks } from "./checks/check.ts";

/** Rules that an operation meets beside those about its first success. */
export const PICKED = 3;

const bodyOf = ({ schemas, raw, form }: AnyOperation) =>
  schemas.body === undefined ? "none" : raw ? "raw" : form ? "form" : "json";
const preconditionOf = (operation: AnyOperation) =>
  takesIfMatch(operation) ? (operation.ifMatch ?? "implied") : "none";
const keyOf = (operation: AnyOperation) => (takesKey(operation) ? (operation.idempotencyKey ?? "optional") : "none");

/** The properties of an operation that the pipeline reads. */
export const propertiesOf = ({ operation, access, mode }: Implementation) => ({
  method: operation.method,
  credentials: [...operation.auth].sort(),
  mode,
  reach: access.reach,
  kind: operation.kind,
  ifMatch: preconditionOf(operation),
  key: keyOf(operation),
  session: operation.session ?? (operation.endsCredential ? "ends" : "none"),
  limit: operation.limit ?? "usual",
  body: bodyOf(operation),
});
export const classOf = (implementation: Implementation): string => JSON.stringify(propertiesOf(implementation));

const hash = (...names: string[]) => createHash("sha256").update(names.join("\n")).digest();
const inOrderOf = <T>(items: readonly T[], rank: (item: T) => number) =>
  items.toSorted((one, other) => rank(one) - rank(other));
/** A number between 0 and 1 that depends on the names alone. */
const chance = (...names: string[]) => (hash(...names).readUInt32BE() + 1) / 2 ** 32;

/** Whether the first tier tests this rule with this operation: true for a third of the names. */
export const isPicked = (...names: string[]): boolean => chance(...names) <= 1 / 3;

/**
 * Values that the pipeline judges before it reads anything of the operation, such as a malformed header. A sampled
 * stage sends each operation a third of them, chosen by a hash of its name, and at least one.
 */
export function valuesFor<T>({ isSampled }: { isSampled: boolean }, { id }: AnyOperation, values: readonly T[]): T[] {
  if (!isSampled) return [...values];
  const ranked = values.map((value, at) => ({ value, rank: chance(id, String(at)) }));
  return inOrderOf(ranked, ({ rank }) => rank)
    .filter(({ rank }, place) => place === 0 || rank <= 1 / 3)
    .map(({ value }) => value);
}

/** Chooses one operation of each class by a hash of its name, so that a new operation rarely changes the choice. */
export function oneOfEach(all: readonly Implementation[], classify = classOf): Set<string> {
  const classes = Map.groupBy(all, classify);
  const first = (members: readonly Implementation[]) =>
    inOrderOf(members, ({ operation }) => chance(operation.id))[0]?.operation.id as string;
  return new Set([...classes.values()].map(first));
}
export const representatives: ReadonlySet<string> = oneOfEach(implementations);

export const appliesTo = ({ of }: Check, operation: AnyOperation) => of?.(operation) ?? true;
const operations = implementations.map(({ operation }) => operation);
const spokenOf = new WeakMap<Check, number>();
/** Rules that speak of few operations are picked more often by these, or lists would hardly meet the rules of lists. */
function weightOf(rule: Check): number {
  const count = spokenOf.get(rule) ?? operations.filter((operation) => appliesTo(rule, operation)).length;
  spokenOf.set(rule, count);
  return 1 / Math.sqrt(count);
}

/** Names of the rules that the first tier runs on this operation. */
export function rulesOf(operation: AnyOperation, rules: Checks): string[] {
  const names = Object.keys(rules).filter((name) => appliesTo(rules[name] as Check, operation));
  if (representatives.has(operation.id)) return names;
  const others = names.filter((name) => !rules[name]?.ofSuccess);
  // Weighted rendezvous hashing: the picks of one operation do not depend on the names of the others.
  const rank = (name: string) => -Math.log(chance(operation.id, name)) / weightOf(rules[name] as Check);
  const picked = new Set(inOrderOf(others, rank).slice(0, PICKED));
  return names.filter((name) => rules[name]?.ofSuccess || picked.has(name));
}
