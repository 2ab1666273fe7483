// Messages: list, search and read them, and stop an answer.

import * as contract from "@svc/contract/assistant/discuss/messages.ts";
import type { Capability } from "@svc/contract/capabilities.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { ownMessage } from "./access.ts";
import { cancelRun, findMessages, listMessages, MOST_SEARCHED, messageOf } from "./store.ts";
import { type MessageRow, messageView } from "./view.ts";

const listed = (row: MessageRow) => ({ json: JSON.stringify(messageView(row)), key: `[${row.sequence}]` });
const placeOf = (after: readonly (string | number | null)[] | null) => (after === null ? null : Number(after[0]));

export const listDiscussMessages = implementList(
  contract.listDiscussMessages,
  workspace("workspace:read"),
  async (tx, { query: { order = "desc" }, page: { after, limit } }) =>
    (await listMessages(tx, placeOf(after), limit + 1, order === "asc")).map(listed),
);

export const searchDiscussMessages = implementList(
  contract.searchDiscussMessages,
  workspace("workspace:read"),
  async (tx, { query: { q }, page: { after, limit } }) => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const found = await findMessages(tx, placeOf(after), words, limit + 1);
    const rows = found.flatMap(({ last: _, count: __, ...row }) =>
      row.id === null ? [] : [listed(row as MessageRow)],
    );
    const shown = rows.slice(0, limit);
    if (rows.length > limit) return { rows: shown, more: (shown.at(-1) as { key: string }).key };
    const [first] = found;
    // Returns all matches of the examined messages; there may be more before them.
    return { rows: shown, more: first && first.count === MOST_SEARCHED ? `[${first.last}]` : null };
  },
);

const stoppable = (row: MessageRow) => row.generation_state === "queued" || row.generation_state === "running";
const shown = (row: MessageRow) => {
  const capabilities: Capability[] = stoppable(row) ? ["discuss_message:cancel"] : [];
  return { json: JSON.stringify(messageView(row)), revision: row.revision, capabilities };
};

export const getDiscussMessage = implement(contract.getDiscussMessage, ownMessage, async (_context, { target }) =>
  shown(target),
);

export const cancelDiscussMessage = implement(
  contract.cancelDiscussMessage,
  ownMessage,
  async ({ tx }, { target: { id, run_id } }) => {
    if (run_id === null) return shown((await messageOf(tx, id)) ?? refuse("not_found"));
    const [, now] = await Promise.all([cancelRun(tx, run_id), messageOf(tx, id)]);
    return shown(now ?? refuse("not_found"));
  },
);
