// Home and My Work in one read each, composed of other reads in the snapshot of the request. Complete, or refused.

import { listMyWork } from "@svc/contract/planning/tasks/own-work/work.ts";
import { listSubscribedTasks } from "@svc/contract/planning/tasks/subscriptions/subscriptions.ts";
import { includeInList } from "@svc/contract/planning/tasks/tasks.ts";
import * as contract from "@svc/contract/surfaces/home/work.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { unread } from "../../history/inbox/store.ts";
import { listWork } from "../../planning/tasks/own-work/work-store.ts";
import { examineTasks } from "../../planning/tasks/subscriptions/store.ts";
import { type Context, implement } from "../../platform/kernel/implement-operation.ts";
import { LAST_ID } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import * as store from "./store.ts";

const { MOST_IN_LIST, MOST_LABEL_REFERENCES } = contract;
/** Counts and descriptions belong to a row, not to a catalog. */
const NAMES = includeInList.filter((name) => name !== "counts" && name !== "description");

interface Page {
  rows: { json: string }[];
  next: string | null;
}
function pageJson({ rows, next }: Page): string {
  const references = rows.reduce((sum, { json }) => sum + (JSON.parse(json).label_ids as string[]).length, 0);
  if (references > MOST_LABEL_REFERENCES) refuse("baseline_bounds");
  const items = rows.map(({ json }) => json).join(",");
  return `{"items":[${items}],"next_cursor":${JSON.stringify(next)},"has_more":${next !== null}}`;
}

/** First page of the Tasks that the caller follows. */
async function following(context: Context, params: Record<string, string>) {
  const brought = context.bring(listSubscribedTasks, NAMES, MOST_IN_LIST);
  const found = await examineTasks(brought.queries, "following", LAST_ID, MOST_IN_LIST + 1);
  const page = found.slice(0, MOST_IN_LIST);
  const rows = page.flatMap(({ json, reasons }) => {
    const subscription = JSON.stringify({ state: "following", reasons });
    return json === null ? [] : [{ json: `${json.slice(0, -1)},"subscription":${subscription}}` }];
  });
  const more = found.length > page.length ? (page.at(-1)?.key as string) : null;
  const next = more && context.cursorIn(listSubscribedTasks, params, {}, more);
  return { rows, next, included: brought.included() };
}

/** Merges the included maps of the pages, each within its limit. */
function catalogsOf(...brought: Record<string, unknown>[]): Record<string, object> {
  const catalogs: Record<string, object> = {};
  for (const maps of brought)
    for (const [name, things] of Object.entries(maps)) catalogs[name] = { ...catalogs[name], ...(things as object) };
  const full = Object.values(catalogs).some((things) => Object.keys(things).length > MOST_IN_LIST);
  return full ? refuse("baseline_bounds") : catalogs;
}

export const getHomeWorkBaseline = implement(
  contract.getHomeWorkBaseline,
  workspace("work:read"),
  async (context, { params, query }) => {
    const { view, cursor, limit = MOST_IN_LIST } = query;
    const after = cursor === undefined ? null : context.openIn(listMyWork, params, { view }, cursor);
    const brought = context.bring(listMyWork, NAMES, limit);
    const [work, followed] = await Promise.all([
      listWork(brought.queries, { view }, { after, limit }),
      query.following ? following(context, params) : null,
    ]);
    // The scan stopped early, so that the page is incomplete.
    if (!work.beside.complete) refuse("baseline_bounds");
    const next = work.more && context.cursorIn(listMyWork, params, { view }, work.more);
    const place = context.place();
    const rest = {
      catalogs: catalogsOf(brought.included(), followed?.included ?? {}),
      cursor: context.cursorAt(place, "workspace", null),
      position: place.position,
    };
    const pages = `"work":${pageJson({ rows: work.rows, next })},"following":${followed && pageJson(followed)}`;
    return { json: `{"view":"${view}",${pages},${JSON.stringify(rest).slice(1)}` };
  },
);

export const getOwnHomeWorkBaseline = implement(
  contract.getOwnHomeWorkBaseline,
  workspace("workspace:read"),
  async (context, { query }) => {
    const { tx, member, principal } = context;
    // A native client may name another Workspace in its header.
    if (query.workspace_id.toLowerCase() !== member.workspaceId) refuse("not_found");
    const isPerson = principal.kind === "session" || principal.kind === "native";
    const [own, workspaces, shortcuts, inbox] = await Promise.all([
      store.ownAccount(tx),
      store.workspacesOf(tx, isPerson, MOST_IN_LIST + 1),
      principal.kind === "session" ? store.ownShortcuts(tx) : null,
      isPerson ? unread(tx) : null,
    ]);
    if (workspaces.length > MOST_IN_LIST) refuse("baseline_bounds");
    const place = context.place();
    const rest = {
      project_shortcuts: shortcuts,
      inbox,
      cursor: context.cursorAt(place, "account", null),
      position: place.position,
    };
    const listed = workspaces.map(({ json }) => json).join(",");
    const whole = `"account":${own.account},"membership":${own.membership},"workspaces":[${listed}]`;
    return { json: `{${whole},${JSON.stringify(rest).slice(1)}` };
  },
);
