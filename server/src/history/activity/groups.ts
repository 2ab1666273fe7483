// Lists the Workspace's feed in groups. A group is positioned at its first event, so that no group moves while a reader
// pages, and the id of that event finds it, under the reader's current access.
import * as contract from "@svc/contract/history/activity/groups.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { type Access, implementList } from "../../platform/kernel/implement-operation.ts";
import { type ActivityRequest, ALWAYS, beforeOf, pageOf, span } from "./feed.ts";
import * as store from "./group-store.ts";
import { groupOf, itemsOf } from "./rules.ts";

/** Events examined per requested group: most commands belong to a group that another command began. */
const EXAMINED = 4;

async function groups(tx: Queries, { query, page }: ActivityRequest) {
  const found = await store.list(tx, span(query), beforeOf(page), EXAMINED * page.limit, page.limit);
  const shown = found.filter((group) => group.shown);
  const rows = shown.map(({ json }) => ({ json: JSON.stringify(groupOf(JSON.parse(json as string))), key: "" }));
  const [walk] = found;
  if (found.length > page.limit) return { rows, more: shown.at(-1)?.key ?? null };
  return { rows, more: walk?.more ? walk.last : null };
}

export const listActivityGroups = implementList(contract.listActivityGroups, workspace("work:read"), groups);

const { reach, permits } = workspace("work:read");
const group = (): Access<{ id: string }> => ({
  reach,
  permits: (context) => permits(context, null),
  load: (tx, params) => store.find(tx, ALWAYS, params.group_id as string),
});

export const listActivityGroupChildren = implementList(
  contract.listActivityGroupChildren,
  group(),
  async (tx, { params, query, page }) =>
    pageOf(await store.children(tx, span(query), beforeOf(page), page.limit + 1, params.group_id), itemsOf),
);
