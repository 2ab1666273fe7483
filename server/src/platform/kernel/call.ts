// State of a request in the pipeline.
import type { IncomingMessage } from "node:http";
import type { JournalPosition } from "../database/journal.ts";
import type { Decision } from "../wire/limits/rate-limit.ts";
import type { Principal, Terms } from "./authentication.ts";
import type { Implementation } from "./implement-operation.ts";
import type { Kernel } from "./kernel.ts";

export interface Call {
  kernel: Kernel;
  implementation: Implementation;
  request: IncomingMessage;
  params: Record<string, string>;
  search: string;
  correlationId: string;
  /** Address of the client, as far as the proxies in front are trusted. */
  address: string;
  /** Address or network that rate limits count by. */
  network: string;
  /** Key of the tenant whose share of the capacity the request uses. */
  tenant: string;
  /** Terms of a surface that calls from within the process; null for a request from outside. */
  terms: Terms | null;
  /** Set by the deadline: nothing is committed after it. */
  expired: boolean;
  /** Whether the request carries the required CSRF token; undefined until checked. */
  proven: boolean | undefined;
  /** The request has a key for which no stored response was found. */
  unkept: boolean;
  /** Round-trips to the database, for the log line and the metrics. */
  trips: number;
  principal: Principal | null;
  /** Journal place of the read, if the response reports it. */
  place: JournalPosition | null;
  rate: Decision | null;
}
