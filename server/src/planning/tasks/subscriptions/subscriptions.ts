// Task subscriptions. All members decide for themselves, viewers too; nobody decides for others, except that the
// creator of a Task may name initial followers.
import * as contract from "@svc/contract/planning/tasks/subscriptions/subscriptions.ts";
import { workspace } from "../../../accounts/workspaces/access.ts";
import { implement, implementList } from "../../../platform/kernel/implement-operation.ts";
import { examinedPage } from "../../../platform/kernel/view.ts";
import { LAST_ID, NIL } from "../../../platform/wire/ids.ts";
import { insideTask } from "../access.ts";
import { decide, ownSubscription } from "./change.ts";
import * as store from "./store.ts";

const stateOf = ({
  follows,
  muted,
  reasons,
}: Pick<store.StoredSubscription, "follows" | "muted" | "reasons">): store.SubscriptionState =>
  muted ? "muted" : (follows ?? reasons.length > 0) ? "following" : "none";

function answerOf({ task_id, follows, muted, reasons, revision, updated_at }: store.StoredSubscription) {
  const json = { task_id, state: stateOf({ follows, muted, reasons }), reasons, revision, updated_at };
  return { json: JSON.stringify(json), revision };
}

export const getTaskSubscription = implement(
  contract.getTaskSubscription,
  ownSubscription,
  async (_context, { target }) => answerOf(target),
);

export const followTask = implement(contract.followTask, ownSubscription, async (context, { target }) =>
  answerOf(decide(context, target, true, false)),
);

export const unfollowTask = implement(contract.unfollowTask, ownSubscription, async (context, { target }) => {
  decide(context, target, false, false);
});

export const muteTask = implement(contract.muteTask, ownSubscription, async (context, { target }) =>
  answerOf(decide(context, target, target.follows, true)),
);

export const unmuteTask = implement(contract.unmuteTask, ownSubscription, async (context, { target }) => {
  decide(context, target, target.follows, false);
});

export const listTaskSubscribers = implementList(
  contract.listTaskSubscribers,
  insideTask("work:read"),
  async (tx, { params, page }) => {
    const after = (page.after?.[0] as string) ?? NIL;
    return examinedPage(await store.examineSubscribers(tx, params.task_id, after, page.limit + 1), page.limit);
  },
);

export const listSubscribedTasks = implementList(
  contract.listSubscribedTasks,
  workspace("workspace:read"),
  async (tx, { query, page }) => {
    const { state = "following" } = query;
    const before = (page.after?.[0] as string) ?? LAST_ID;
    const found = await store.examineTasks(tx, state, before, page.limit + 1);
    return examinedPage(found, page.limit, (json, { reasons }) => {
      const subscription = JSON.stringify({ state, reasons });
      return `${json.slice(0, -1)}, "subscription": ${subscription}}`;
    });
  },
);
