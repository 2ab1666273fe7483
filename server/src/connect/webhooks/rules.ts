// What webhooks say, and when they are tried again and given up. Pure. How they are signed is platform/wire/standard-webhooks.ts.
import { WEBHOOK_VERSION } from "@svc/contract/connect/webhooks/event-types.ts";
import type { RealtimeChange } from "../../history/feed/rules.ts";

/** What a sealed secret is bound to: it opens for this endpoint only. */
export const sealedFor = (endpointId: string) => `webhook endpoint ${endpointId}`;

export interface Message {
  action: string;
  workspaceId: string;
  occurredAt: string;
  actorId: string | null;
  change: RealtimeChange;
}
/** Identities only. */
export const payloadOf = ({ action, workspaceId, occurredAt, actorId, change }: Message) =>
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
/** A hint does not name the Project twice. */
export const projectOf = ({ kind, id, project_id }: RealtimeChange) => project_id ?? (kind === "project" ? id : null);

const [SECOND, MINUTE, HOUR] = [1, 60, 3600];
/** After each attempt that failed, the pause before the next: three days in all. */
const PAUSES = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 20 * HOUR],
];
export const MOST_ATTEMPTS = PAUSES.length + 1;
/** What was queued together is not sent together again. */
const JITTER = 0.1;
/** No receiver puts us off for longer. */
const LONGEST_PAUSE = 24 * HOUR;
/** Seconds until the next attempt; null where there is none. */
export function pauseAfter(attempts: number, retryAfter: number | null, random = Math.random()): number | null {
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return null;
  return Math.max(pause * (1 + JITTER * random), Math.min(retryAfter ?? 0, LONGEST_PAUSE));
}

/** RFC 9110: seconds, or a date. Seconds from now; null where it says nothing. */
export function retryAfterOf(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
