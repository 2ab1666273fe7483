// The caller's own inbox in a Workspace: listed, and marked as read.
import * as contract from "@svc/contract/history/inbox/inbox.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { examinedPage, render } from "../../platform/kernel/view.ts";
import { LAST_ID } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { inboxItem } from "./access.ts";
import { inboxItemChanged, inboxReadStateChanged } from "./events.ts";
import * as store from "./store.ts";

const shown: Record<string, readonly store.NotificationState[]> = {
  all: ["unread", "read", "archived"],
  usual: ["unread", "read"],
};
const NEWEST = ["infinity", LAST_ID] as const;

export const listInbox = implementList(contract.listInbox, workspace("workspace:read"), async (tx, { query, page }) => {
  const { state = "usual", category = null } = query;
  const states = shown[state] ?? [state as store.NotificationState];
  const before = (page.after ?? NEWEST) as readonly [string, string];
  const [found, beside] = await Promise.all([
    store.examineItems(tx, { states, category }, before, page.limit + 1),
    store.unread(tx),
  ]);
  return { ...examinedPage(found, page.limit), beside };
});

export const updateInboxReadState = implement(
  contract.updateInboxReadState,
  workspace("workspace:read"),
  async ({ tx, member, record }, { body: { read, ids, all_before: before, category = null } }) => {
    if ((ids === undefined) === (before === undefined))
      refuseAt("/body/ids", "invalid_request", "must be sent, or all_before in its place", "required");
    if (ids !== undefined && category !== null)
      refuseAt("/body/category", "invalid_request", "goes with all_before only", "not_allowed");
    const marking =
      before === undefined ? store.markItems(tx, read, ids ?? []) : store.markBefore(tx, read, before, category);
    const [changed, left] = await Promise.all([marking, store.unread(tx)]);
    if (changed > 0) record(inboxReadStateChanged({ kind: "actor", id: member.actorId }, { read, changed }));
    return { changed, ...left };
  },
);

export const updateInboxItem = implement(
  contract.updateInboxItem,
  inboxItem(),
  async ({ tx, record }, { target, body }) => {
    const { changed, row } = await store.changeItem(tx, target.id, body.read ?? null, body.archived ?? null);
    if (!row) return refuse("not_found");
    if (changed) record(inboxItemChanged({ kind: "inbox_item", id: target.id }, { fields: Object.keys(body).sort() }));
    return render(row, ["inbox_item:update"]);
  },
);
