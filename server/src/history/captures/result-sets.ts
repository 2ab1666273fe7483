// Result sets: captured, refreshed, read as they were captured, and shown with the current state of their Tasks.
import type { Capability } from "@svc/contract/capabilities.ts";
import * as contract from "@svc/contract/history/captures/result-sets.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { ownVersions } from "./access.ts";
import { captureResultSet as capture, refreshResultSet as refresh } from "./result-set-change.ts";
import { requireBoth } from "./rules.ts";
import { hydrateResultSet, type ResultSet, resultSetAt } from "./task-store.ts";
import { hydratedView, identitiesView } from "./task-view.ts";

const shown = (set: ResultSet, latest: number) => {
  const { task_ids, revisions, ...rest } = set;
  const capabilities: Capability[] = ["result_set:read", "result_set:select"];
  if (set.version === latest) capabilities.push("result_set:refresh");
  return { ...rest, latest_version: latest, count: task_ids.length, tasks: identitiesView(set), capabilities };
};

export const captureTaskResultSet = implement(
  contract.captureTaskResultSet,
  workspace("work:read"),
  async (context, { body }) => {
    requireBoth(body, "result_set_id", "version");
    const { query, result_set_id, version = 0 } = body;
    if ((query === undefined) === (result_set_id === undefined))
      return refuseAt(
        "/body/query",
        "invalid_request",
        "must be sent for a new set, and left out where result_set_id is refreshed",
        "required",
      );
    const set = await (query ? capture(context, query) : refresh(context, result_set_id as string, version));
    return shown(set, set.version);
  },
);

const own = ownVersions("task_result_sets");
export const getTaskResultSet = implement(contract.getTaskResultSet, own, async ({ tx }, { target, query }) =>
  shown((await resultSetAt(tx, target.id, query.version)) ?? refuse("not_found"), target.latest),
);

export const hydrateTaskResultSet = implement(
  contract.hydrateTaskResultSet,
  own,
  async ({ tx }, { target: { id }, query: { version, offset = 0 } }) =>
    hydratedView({ result_set_id: id, version }, offset, await hydrateResultSet(tx, id, version, offset)),
);
