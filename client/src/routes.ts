// Runtime data of the operations: address, location of each field, and headers. It is read from the contract here; a
// bundler or the package computes it at build time instead (routes-plugin.ts), so that no schema is shipped.
import { type AnyOperation, isUnsafe, pathOf, restOf, takesIfMatch, takesKey } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import type { Route } from "./shapes.ts";

/**
 * Flags. k: accepts Idempotency-Key; m: accepts If-Match; b: has a body; p: is a page; f: is sent as a form; r: is sent
 * as a file; c: answers CSV.
 */
function routeOf(operation: AnyOperation): Route {
  const fields = Object.keys((operation.schemas.query as { properties?: object } | undefined)?.properties ?? {});
  if (operation.kind === "page") fields.push("cursor", "limit");
  const flags = [
    takesKey(operation) && "k",
    isUnsafe(operation) && takesIfMatch(operation) && "m",
    operation.schemas.body && "b",
    operation.kind === "page" && "p",
    operation.form && "f",
    operation.raw && "r",
    operation.csv && "c",
  ];
  const rest = restOf(operation);
  const path = rest ? pathOf(operation).replace(`{${rest}}`, `{*${rest}}`) : pathOf(operation);
  return [operation.method, path, fields.join(" "), flags.filter(Boolean).join("")];
}

/** All operations except redirects, which a browser follows itself, and sockets. */
export function callable(): AnyOperation[] {
  return [...operations.values()].filter(({ redirect, socket }) => !redirect && !socket);
}

export const routes: Readonly<Record<string, Route>> = Object.fromEntries(
  callable().map((operation) => [operation.id, routeOf(operation)]),
);
