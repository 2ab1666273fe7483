// Which operations contract.test.ts is about: all of them, or those that SVC_CHANGED_OPERATIONS names, which `npm test
// -- --changed` sets. A name that no operation has is ignored: a change may have removed it.
import type { AnyOperation } from "@svc/contract/kit.ts";
import { implementations } from "../src/operations.ts";
import type { Check, Checks } from "./checks/check.ts";
import { appliesTo, propertiesOf, representatives, rulesOf } from "./covering-set.ts";

export interface ChangedOperations {
  /** Declared or implemented in a changed file: tested with every rule. */
  touched: string[];
  /** Of the same domain: tested with the rules that the first tier picks for them. */
  near: string[];
  /** The change lies behind every operation: a few that differ most stand for all, with every rule. */
  isWide: boolean;
}

const given = process.env.SVC_CHANGED_OPERATIONS;
export const changedOperations: ChangedOperations | undefined = given ? JSON.parse(given) : undefined;

/**
 * Operations that together have every value of every property that the pipeline reads: far fewer than one of each
 * class.
 */
export function oneOfEachValue(all = implementations): Set<string> {
  const valuesOf = (implementation: (typeof all)[number]) =>
    Object.entries(propertiesOf(implementation)).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const missing = new Set(all.flatMap(valuesOf));
  const chosen = new Set<string>();
  while (missing.size > 0) {
    const gain = (each: (typeof all)[number]) => valuesOf(each).filter((value) => missing.has(value)).length;
    const best = all.reduce((one, other) => (gain(other) > gain(one) ? other : one));
    chosen.add(best.operation.id);
    for (const value of valuesOf(best)) missing.delete(value);
  }
  return chosen;
}

/** Whether this run tests the operation with every rule. */
export function hasEveryRule({ id }: AnyOperation, changed = changedOperations): boolean {
  if (!changed) return representatives.has(id);
  if (changed.touched.includes(id) || (changed.near.includes(id) && representatives.has(id))) return true;
  return changed.isWide && standing().has(id);
}

/** The names of the rules that this run tests on the operation. */
export function rulesOfRun(operation: AnyOperation, rules: Checks, changed = changedOperations): string[] {
  if (hasEveryRule(operation, changed))
    return Object.keys(rules).filter((name) => appliesTo(rules[name] as Check, operation));
  return !changed || changed.near.includes(operation.id) ? rulesOf(operation, rules) : [];
}

let found: Set<string> | undefined;
function standing(): Set<string> {
  found ??= oneOfEachValue();
  return found;
}
