// Captures a result set, for every surface: runs the query once and stores what it finds as one version.
import { MOST_TASKS } from "@svc/contract/history/captures/result-sets.ts";
import { findMatches } from "../../knowledge/search/store.ts";
import { requireOrder } from "../../planning/tasks/lists/rules.ts";
import { listIdentities, listIdentitiesAmong } from "../../planning/tasks/lists/store.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { newId } from "../../platform/wire/ids.ts";
import { onlyOne } from "../../platform/wire/input/value-filter.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { withRoom } from "./access.ts";
import { expiryOf, requireLatest } from "./rules.ts";
import { keepResultSet, latestResultSet, type Query, type ResultSet } from "./task-store.ts";

/** Same number as search ranks. */
const MOST_MATCHES = 900;

/** A search by words finds only the best matches, so that its result never counts as complete. */
async function find(tx: Queries, { q, ...filters }: Query): Promise<{ found: string[]; complete: boolean }> {
  if (q === undefined) {
    const { rows, more } = await listIdentities(tx, filters, MOST_TASKS);
    return { found: rows.map(({ json }) => json), complete: more === null };
  }
  const asked = { q: q.trim(), type: "task", projectId: onlyOne(filters.project_id) } as const;
  const matches = await findMatches(tx, asked, { after: null, limit: MOST_MATCHES });
  const ids = matches.map(({ id }) => id);
  return { found: await listIdentitiesAmong(tx, filters, ids), complete: false };
}

/** Validates the query: its order, as for a list, and no search by words in the trash. */
export function requireQuery(query: Query): void {
  requireOrder(query, "/body/query");
  if (query.q !== undefined && query.trashed)
    refuseAt("/body/query/q", "invalid_request", "the trash is not searched: leave q or trashed out", "not_allowed");
}

type Here = Pick<Context, "tx" | "defer" | "principal">;
interface Asked {
  id: string;
  version: number;
  query: Query;
}
function kept({ tx, defer, principal }: Here, asked: Asked, { found, complete }: Awaited<ReturnType<typeof find>>) {
  const pairs = found.map((identity) => identity.split(" ") as [string, string]);
  const set: ResultSet = {
    ...asked,
    task_ids: pairs.map(([id]) => id),
    revisions: pairs.map(([, revision]) => revision),
    complete,
    created_at: principal.now,
    expires_at: expiryOf("task_result_sets", principal.now),
  };
  defer(keepResultSet(tx, set));
  return set;
}

/** Captures the first version of a new result set. */
export async function captureResultSet(here: Here, query: Query): Promise<ResultSet> {
  requireQuery(query);
  const found = await withRoom(here.tx, "task_result_sets", (tx) => find(tx, query));
  return kept(here, { id: newId(), version: 1, query }, found);
}

/** Captures the next version of the same query. */
export async function refreshResultSet(here: Here, id: string, version: number): Promise<ResultSet> {
  const latest = await withRoom(here.tx, "task_result_sets", (tx) => latestResultSet(tx, id));
  const { query } = requireLatest(latest, version, "result_set_id");
  return kept(here, { id, version: version + 1, query }, await find(here.tx, query));
}
