// A request on its way through the pipeline.
import type { IncomingMessage } from "node:http";
import type { Place } from "../database/journal.ts";
import type { Decision } from "../wire/rate-limit.ts";
import type { Principal, Terms } from "./authenticate.ts";
import type { Implementation } from "./implement.ts";
import type { Kernel } from "./kernel.ts";

export interface Call {
  kernel: Kernel;
  implementation: Implementation;
  request: IncomingMessage;
  params: Record<string, string>;
  search: string;
  correlationId: string;
  /** Of the client, as far as the proxies before it are believed. */
  address: string;
  /** What limits count by. */
  network: string;
  /** For whom it counts where places are shared. */
  tenant: string;
  /** Of a surface that calls from within; null where the request itself came in at the interface. */
  terms: Terms | null;
  /** Set by the deadline: nothing is committed after it. */
  expired: boolean;
  /** Whether it carries the CSRF token that it needs, once that was looked at. */
  proven: boolean | undefined;
  /** A key was sent, and as far as is known it was not kept yet. */
  unkept: boolean;
  /** For the log line and the metrics. */
  trips: number;
  principal: Principal | null;
  /** Where in the journal the read stands, if it is to say so. */
  place: Place | null;
  rate: Decision | null;
}
