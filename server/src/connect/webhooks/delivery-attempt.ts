// A delivery attempt: signs a message and sends it through the one egress. The status decides; a bounded part of the
// answer is read and discarded.
import type { DeliveryError } from "@svc/contract/connect/webhooks/deliveries.ts";
import { EgressError } from "../../platform/outside/egress.ts";
import type { Egress, EgressFault } from "../../platform/outside/external-systems.ts";
import { signed } from "../../platform/wire/standard-webhooks.ts";
import { retryAfterOf } from "./rules.ts";

const ATTEMPT_MS = 15_000;
const BYTES_READ = 16_384;
const codes: Record<EgressFault, DeliveryError> = {
  url: "refused_address",
  address: "refused_address",
  name: "unresolved",
  connection: "connection",
  time: "timeout",
  size: "status",
};

export interface AttemptResult {
  error: DeliveryError | null;
  status: number | null;
  ms: number;
  /** Seconds. */
  retryAfter: number | null;
}
/** Throws if it is stopped. */
export async function send(
  egress: Egress,
  url: string,
  message: { id: string; body: Buffer; secrets: readonly string[] },
  { ms = ATTEMPT_MS, stop }: { ms?: number; stop: AbortSignal },
): Promise<AttemptResult> {
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  const { id, body, secrets } = message;
  const headers = { "content-type": "application/json", ...signed(secrets, id, body, new Date()) };
  const late = AbortSignal.timeout(ms);
  try {
    const answer = await egress.stream(url, {
      method: "POST",
      headers,
      body,
      bytes: BYTES_READ,
      ms,
      signal: AbortSignal.any([late, stop]),
    });
    const sent = { status: answer.status, ms: took(), retryAfter: retryAfterOf(answer.headers.get("retry-after")) };
    await thrownAway(answer.body);
    return { ...sent, error: errorOf(answer.status) };
  } catch (error) {
    if (stop.aborted || !(error instanceof EgressError || late.aborted)) throw error;
    const fault = error instanceof EgressError ? error.fault : "time";
    return { error: codes[fault], status: null, ms: took(), retryAfter: null };
  }
}

/** Drains a short answer so that its sender is not cut off; a long or slow one is cut off. */
async function thrownAway(body: AsyncIterable<Buffer>) {
  try {
    for await (const _ of body);
  } catch {
    // The status has already arrived.
  }
}

function errorOf(status: number): DeliveryError | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return "gone";
  return status >= 300 && status < 400 ? "redirect" : "status";
}
