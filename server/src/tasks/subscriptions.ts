// Who follows a Task. Everybody decides it for themselves, a viewer too; nobody decides it for others.
import * as contract from "@svc/contract/tasks/subscriptions.ts";
import { QUEUE } from "../account/access.ts";
import { LAST_ID, NIL } from "../kernel/ids.ts";
import { type Access, type Context, implement, implementList } from "../kernel/implement.ts";
import { workspace } from "../workspaces/access.ts";
import { insideTask } from "./access.ts";
import { taskSubscriptionChanged } from "./relation-events.ts";
import * as store from "./subscription-store.ts";

const ownSubscription: Access<store.Subscription> = {
  reach: "membership",
  load: async (tx, params, change) => {
    const queued = change ? tx.rows(QUEUE) : null;
    const [, own] = await Promise.all([queued, store.ownSubscription(tx, params.task_id as string)]);
    return own;
  },
  permits: () => true,
};

const stateOf = ({
  follows,
  muted,
  reasons,
}: Pick<store.Subscription, "follows" | "muted" | "reasons">): store.State =>
  muted ? "muted" : (follows ?? reasons.length > 0) ? "following" : "none";

function answerOf({ task_id, follows, muted, reasons, revision, updated_at }: store.Subscription) {
  const json = { task_id, state: stateOf({ follows, muted, reasons }), reasons, revision, updated_at };
  return { json: JSON.stringify(json), revision };
}

/** Stores what is new, and gives how it is afterwards. */
function decide(
  { tx, principal, record, defer }: Context,
  before: store.Subscription,
  follows: boolean | null,
  muted: boolean,
) {
  const { task_id, project_id } = before;
  if (before.follows === follows && before.muted === muted) return before;
  defer(store.decide(tx, task_id, follows, muted));
  record(
    taskSubscriptionChanged(
      { kind: "task", id: task_id, projectId: project_id, taskId: task_id },
      { from: { follows: before.follows, muted: before.muted }, to: { follows, muted } },
    ),
  );
  const others = before.reasons.filter((reason) => reason !== "explicit");
  const reasons: store.Reason[] = follows ? ["explicit", ...others] : others;
  const revision = String(BigInt(before.revision) + 1n);
  return { ...before, follows, muted, reasons, revision, updated_at: principal.now };
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

/** A page of what was examined: what does not count is left out of it, and the next goes on behind it all the same. */
function pageOf<Row extends { key: string; json: string | null }>(
  found: Row[],
  limit: number,
  render: (json: string, row: Row) => string = (json) => json,
) {
  const examined = found.slice(0, limit);
  return {
    rows: examined.flatMap((row) => (row.json === null ? [] : [{ key: row.key, json: render(row.json, row) }])),
    more: found.length > limit ? (examined.at(-1)?.key ?? null) : null,
  };
}

export const listTaskSubscribers = implementList(
  contract.listTaskSubscribers,
  insideTask("work:read"),
  async (tx, { params, page }) => {
    const after = (page.after?.[0] as string) ?? NIL;
    return pageOf(await store.examineSubscribers(tx, params.task_id, after, page.limit + 1), page.limit);
  },
);

export const listSubscribedTasks = implementList(
  contract.listSubscribedTasks,
  workspace("workspace:read"),
  async (tx, { query, page }) => {
    const { state = "following" } = query;
    const before = (page.after?.[0] as string) ?? LAST_ID;
    const found = await store.examineTasks(tx, state, before, page.limit + 1);
    return pageOf(found, page.limit, (json, { reasons }) => {
      const subscription = JSON.stringify({ state, reasons });
      return `${json.slice(0, -1)}, "subscription": ${subscription}}`;
    });
  },
);
