// Task subscriptions, shared by every operation: all members decide for themselves, except that the creator of a Task
// may name initial followers. These can unfollow or mute it like any other.
import { QUEUE } from "../../../accounts/account/access.ts";
import type { Access, Context } from "../../../platform/kernel/implement-operation.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { subjectOf } from "../events.ts";
import { taskSubscriptionChanged } from "../relations/events.ts";
import * as store from "./store.ts";

const UNDECIDED = { follows: null, muted: false };

export const ownSubscription: Access<store.StoredSubscription> = {
  reach: "membership",
  load: async (tx, params, change) => {
    const queued = change ? tx.rows(QUEUE) : null;
    const [, own] = await Promise.all([queued, store.ownSubscription(tx, params.task_id as string)]);
    return own;
  },
  permits: () => true,
};

/** Subscribes others to a new Task. Returns the events to record. */
export async function followedBy(
  { tx, member }: Context,
  task: { id: string; project_id: string },
  given: readonly string[],
) {
  const followers = new Set(await store.follow(tx, member.workspaceId, task, given));
  const errors = given.flatMap((actorId, index) =>
    followers.has(actorId)
      ? []
      : [
          {
            pointer: `/body/follower_actor_ids/${index}`,
            code: "invalid_reference",
            detail: "must be an active member who sees this Project",
          },
        ],
  );
  if (errors.length > 0) refuse("invalid_reference", { errors });
  const [from, to] = [UNDECIDED, { follows: true, muted: false }];
  return [...followers].map((actor_id) => taskSubscriptionChanged(subjectOf(task), { actor_id, from, to }));
}

/** Stores a changed decision; returns the new state. */
export function decide(
  { tx, principal, record, defer }: Context,
  before: store.StoredSubscription,
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
  const reasons: store.SubscriptionReason[] = follows ? ["explicit", ...others] : others;
  const revision = String(BigInt(before.revision) + 1n);
  return { ...before, follows, muted, reasons, revision, updated_at: principal.now };
}
