// Closes decided requests: settles the notifications of those who were asked, and notifies the requester.
import { settleAbout, tellAbout } from "../../../history/inbox/change.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";

interface Asked {
  id: string;
  requested_by_actor_id: string;
}
export function answerRequests(
  { tx, defer }: Pick<Context, "tx" | "defer">,
  requests: readonly Asked[],
  action: "integration_request.closed" | "integration_request.declined",
  { actorId, providerName }: { actorId: string; providerName: string },
): void {
  if (requests.length === 0) return;
  const ids = requests.map(({ id }) => id);
  defer(settleAbout(tx, ids, "request_received"));
  const told = requests.map(({ id, requested_by_actor_id }) => ({
    category: "request_decided" as const,
    event_type: action,
    from_actor_id: actorId,
    about_kind: "integration_request" as const,
    about_id: id,
    about_name: providerName,
    about_note: null,
    actor_ids: [requested_by_actor_id],
  }));
  defer(tellAbout(tx, told));
}
