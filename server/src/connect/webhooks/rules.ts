// Payloads of webhooks, and their retry schedule. Pure.
import { WEBHOOK_VERSION } from "@svc/contract/connect/webhooks/event-types.ts";
import type { RealtimeChange } from "../../history/feed/rules.ts";

/** Context of a sealed secret: it opens for this endpoint only. */
export const sealedFor = (endpointId: string) => `webhook endpoint ${endpointId}`;

export interface WebhookMessage {
  action: string;
  workspaceId: string;
  occurredAt: string;
  actorId: string | null;
  change: RealtimeChange;
}
/** The payload contains ids only. */
export const payloadOf = ({ action, workspaceId, occurredAt, actorId, change }: WebhookMessage) =>
  Buffer.from(
    JSON.stringify({
      type: action,
      version: WEBHOOK_VERSION,
      timestamp: occurredAt,
      data: {
        workspace_id: workspaceId,
        kind: change.kind,
        id: change.id,
        revision: change.revision,
        change: change.action,
        actor_id: actorId,
        project_id: projectOf(change),
        task_id: change.task_id ?? null,
      },
    }),
  );
/** A change of a Project names it only in `id`. */
export const projectOf = ({ kind, id, project_id }: RealtimeChange) => project_id ?? (kind === "project" ? id : null);

const [SECOND, MINUTE, HOUR] = [1, 60, 3600];
/** Pause after each failed attempt: three days in all. */
const PAUSES = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 20 * HOUR],
];
export const MOST_ATTEMPTS = PAUSES.length + 1;
/** Spreads the retries of deliveries that were queued together. */
const JITTER = 0.1;
/** Upper bound of a receiver's Retry-After. */
const LONGEST_PAUSE = 24 * HOUR;
/** Seconds until the next attempt; null if it was the last. */
export function pauseAfter(attempts: number, retryAfter: number | null, random = Math.random()): number | null {
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return null;
  return Math.max(pause * (1 + JITTER * random), Math.min(retryAfter ?? 0, LONGEST_PAUSE));
}

/** RFC 9110: seconds, or a date. Returns seconds from now; null if the header is missing or invalid. */
export function retryAfterOf(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
