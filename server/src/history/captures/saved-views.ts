// Saved views: created, then updated and deleted at an exact revision, and listed only to their owner.
import * as contract from "@svc/contract/history/captures/saved-views.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { NIL, newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { requireQuery } from "./result-set-change.ts";
import { requireBoth } from "./rules.ts";
import * as store from "./view-store.ts";

const shown = (row: store.ViewRow) => render(row, ["saved_view:update", "saved_view:delete"]);

/** Reports the current revision as a conflict, or a missing view. */
function refuseRevision(current: string | null): never {
  if (current === null) return refuseAt("/body/view_id", "not_found", "must be a saved view of yours");
  return refuse("revision_conflict", { current_revision: current });
}

export const saveTaskView = implement(
  contract.saveTaskView,
  workspace("work:read"),
  async ({ tx }, { body: { view_id, revision, ...fields } }) => {
    requireBoth({ view_id, revision }, "view_id", "revision");
    requireQuery(fields.query);
    if (view_id === undefined || revision === undefined)
      return shown((await store.createView(tx, newId(), fields)) ?? refuse("limit_reached"));
    const { changed, current } = await store.updateView(tx, view_id, revision, fields);
    return shown(changed ?? refuseRevision(current));
  },
);

export const listTaskSavedViews = implementList(contract.listTaskSavedViews, workspace("work:read"), (tx, { page }) =>
  store.listViews(tx, (page.after?.[0] as string | undefined) ?? NIL, page.limit + 1),
);

export const deleteTaskView = implement(
  contract.deleteTaskView,
  workspace("work:read"),
  async ({ tx, principal }, { body: { view_id, revision } }) => {
    const { deleted, current } = await store.deleteView(tx, view_id, revision);
    return deleted ? { view_id, deleted_at: principal.now } : refuseRevision(current);
  },
);
