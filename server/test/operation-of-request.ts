// Finds the operation of a request by its method and path, and makes the handshake of those that open a socket.
import type { AnyOperation } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";

/** Headers of a request that opens a socket; a browser sends its Origin too. */
export const handshakeFor = (protocol: string, { cookie, authorization }: Record<string, string>, origin: string) => ({
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-protocol": protocol,
  ...(cookie !== undefined && authorization === undefined ? { origin: origin.replace("127.0.0.1", "localhost") } : {}),
});

/** Operations by method and number of segments; if two match, the one with fewer parameters comes first. */
const shapeOf = (method: string, path: string) => `${method} ${path.split("/").length}`;
const matchers = Map.groupBy(
  [...operations.values()]
    .map((operation) => ({ operation, pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`) }))
    .sort((a, b) => a.operation.params.length - b.operation.params.length),
  ({ operation }) => shapeOf(operation.method, operation.path),
);
export function operationFor(method: string, path: string): AnyOperation | undefined {
  const plain = path.split("?")[0] as string;
  return matchers.get(shapeOf(method, plain))?.find(({ pattern }) => pattern.test(plain))?.operation;
}
