// Builds a request from one part of the service to another within the process, with only what the pipeline reads.
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";

export type Outer = IncomingMessage;

/** Headers of the outer request about its origin, which also apply to inner requests. */
const PASSED_ON = ["forwarded", "x-forwarded-for", "traceparent"] as const;

/** `outer` is the request that caused this one; null for background work, which has no client address. */
export function innerRequest(method: string, url: string, headers: Record<string, string>, outer: Outer | null): Outer {
  const request = new IncomingMessage(outer?.socket ?? new Socket());
  request.method = method;
  request.url = url;
  request.headers = { ...headers };
  for (const name of PASSED_ON)
    if (outer?.headers[name] !== undefined) request.headers[name] = outer.headers[name] as string;
  return request;
}
