// What somebody decides about following a Task, whichever operation asks for it. Only one's own.
import { QUEUE } from "../../account/access.ts";
import type { Access, Context } from "../../kernel/implement.ts";
import { subjectOf } from "../events.ts";
import { taskSubscriptionChanged } from "../relations/events.ts";
import * as store from "./store.ts";

export const ownSubscription: Access<store.Subscription> = {
  reach: "membership",
  load: async (tx, params, change) => {
    const queued = change ? tx.rows(QUEUE) : null;
    const [, own] = await Promise.all([queued, store.ownSubscription(tx, params.task_id as string)]);
    return own;
  },
  permits: () => true,
};

/** Stores what is new, and gives how it is afterwards. */
export function decide(
  { tx, principal, record, defer }: Context,
  before: store.Subscription,
  follows: boolean | null,
  muted: boolean,
) {
  const { task_id, project_id } = before;
  if (before.follows === follows && before.muted === muted) return before;
  defer(store.decide(tx, task_id, follows, muted));
  record(
    taskSubscriptionChanged(subjectOf({ id: task_id, project_id }), {
      from: { follows: before.follows, muted: before.muted },
      to: { follows, muted },
    }),
  );
  const others = before.reasons.filter((reason) => reason !== "explicit");
  const reasons: store.Reason[] = follows ? ["explicit", ...others] : others;
  const revision = String(BigInt(before.revision) + 1n);
  return { ...before, follows, muted, reasons, revision, updated_at: principal.now };
}
