// Selections: immutable lists of Tasks from one version of a result set, shown with the current state of the Tasks.
import type { Capability } from "@svc/contract/capabilities.ts";
import * as contract from "@svc/contract/history/captures/selections.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { type Access, implement } from "../../platform/kernel/implement-operation.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { withRoom } from "./access.ts";
import { expiryOf } from "./rules.ts";
import { hydrateSelection, keepSelection, resultSetAt, type Selection, selectionOf } from "./task-store.ts";
import { hydratedView, identitiesView } from "./task-view.ts";

const shown = (selection: Selection) => {
  const { task_ids, revisions, ...rest } = selection;
  const capabilities: Capability[] = ["selection:read"];
  return { ...rest, count: task_ids.length, tasks: identitiesView(selection), capabilities };
};

export const createTaskSelection = implement(
  contract.createTaskSelection,
  workspace("work:read"),
  async ({ tx, defer, principal }, { body: { result_set_id, version, task_ids } }) => {
    const set = await withRoom(tx, "task_selections", () => resultSetAt(tx, result_set_id, version));
    if (!set)
      return refuseAt("/body/result_set_id", "not_found", "must be a result set of yours that has this version");
    const captured = new Map(set.task_ids.map((id, place) => [id, set.revisions[place] as string]));
    const errors = task_ids.flatMap((id, place) =>
      captured.has(id)
        ? []
        : [{ pointer: `/body/task_ids/${place}`, code: "not_found", detail: "must be in the result set" }],
    );
    if (errors.length > 0) refuse("not_found", { errors });
    const selection: Selection = {
      id: newId(),
      result_set_id,
      version,
      task_ids,
      revisions: task_ids.map((id) => captured.get(id) as string),
      created_at: principal.now,
      expires_at: expiryOf("task_selections", principal.now),
    };
    defer(keepSelection(tx, selection));
    return shown(selection);
  },
);

const own: Access<Selection> = {
  reach: "membership",
  load: (tx, { id }) => selectionOf(tx, id as string),
  permits: () => true,
};
export const getTaskSelection = implement(contract.getTaskSelection, own, async (_context, { target }) =>
  shown(target),
);
export const hydrateTaskSelection = implement(
  contract.hydrateTaskSelection,
  own,
  async ({ tx }, { target: { id }, query: { offset = 0 } }) =>
    hydratedView({ selection_id: id }, offset, await hydrateSelection(tx, id, offset)),
);
