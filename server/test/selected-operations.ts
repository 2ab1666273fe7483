// The operations that the tests over all operations are about: every one, or only those whose names SVC_OPERATION
// lists, separated by commas. `npm run check` sets it. A name that no operation has fails at once: a test of nothing
// would pass.
import { type Capability, capabilityWords } from "@svc/contract/capabilities.ts";
import type { AnyOperation } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";

const names = process.env.SVC_OPERATION?.split(",") ?? [];

/** Whether SVC_OPERATION narrows the tests. */
export const isNarrowed = names.length > 0;

export function selectedOperations(): AnyOperation[] {
  const unknown = names.filter((name) => !operations.has(name));
  if (unknown.length > 0) throw new Error(`SVC_OPERATION: the contract declares no operation ${unknown.join(", ")}`);
  return [...operations.values()].filter(({ id }) => !isNarrowed || names.includes(id));
}

/** The words of `capabilities` that name a selected operation. */
export function selectedWords(): Set<Capability> {
  const ids = new Set(selectedOperations().map(({ id }) => id));
  const words = Object.entries(capabilityWords) as [Capability, readonly string[]][];
  return new Set(words.filter(([, [, ...named]]) => named.some((id) => ids.has(id))).map(([word]) => word));
}
