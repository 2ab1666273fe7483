// A request that a part of the service makes to another within the process: what the pipeline reads of one, and nothing that was ever on a wire.
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";

export type Outer = IncomingMessage;

/** What a proxy says about where a request comes from holds for all that it leads to. */
const PASSED_ON = ["forwarded", "x-forwarded-for", "traceparent"] as const;

/** `outer` is the request that led to it; null where nobody waits: then it comes from nowhere. */
export function innerRequest(method: string, url: string, headers: Record<string, string>, outer: Outer | null): Outer {
  const request = new IncomingMessage(outer?.socket ?? new Socket());
  request.method = method;
  request.url = url;
  request.headers = { ...headers };
  for (const name of PASSED_ON)
    if (outer?.headers[name] !== undefined) request.headers[name] = outer.headers[name] as string;
  return request;
}
