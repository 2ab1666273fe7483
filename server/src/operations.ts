// Collects all implementations from the files listed in operation-files.ts. The process refuses to start if an
// operation of the contract has no implementation, or two.
import { operations } from "@svc/contract/operations.ts";
import { relyingPartyOf } from "./accounts/identity/webauthn/webauthn.ts";
import * as files from "./operation-files.ts";
import type { Implementation } from "./platform/kernel/implement-operation.ts";
import type { Config } from "./platform/settings/config.ts";

export const implementations = complete(Object.values(files));

/** Omits operations that the configuration disables: their paths answer 404, like any unknown path. */
export function offered(all: readonly Implementation[], config: Pick<Config, "passkeys" | "publicUrl">) {
  if (config.passkeys && relyingPartyOf(config.publicUrl)) return all;
  const withheld = new Set<unknown>(Object.values(files.accountsIdentityPasskeys));
  return all.filter((implementation) => !withheld.has(implementation));
}

function complete(modules: readonly Record<string, unknown>[]): Implementation[] {
  const found = new Map<string, Implementation>();
  for (const value of modules.flatMap((module) => Object.values(module))) {
    if (!(value !== null && typeof value === "object" && "operation" in value)) continue;
    const implementation = value as Implementation;
    const { id } = implementation.operation;
    if (found.has(id)) throw new Error(`operation ${id} is implemented twice`);
    found.set(id, implementation);
  }
  const missing = [...operations.keys()].filter((id) => !found.has(id));
  if (missing.length > 0) throw new Error(`operations without an implementation: ${missing.join(", ")}`);
  return [...found.values()];
}
