// Label definitions: list, create, read, change, delete. Deleting a label removes it from all targets, in the
// background if there are many.
import * as contract from "@svc/contract/planning/labels/definitions.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { differing } from "../../platform/database/sql.ts";
import { type Context, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { type InProject, insideProject, project } from "../projects/access.ts";
import { label, labelCapabilities, labelledWorkspace, removedLabel } from "./access.ts";
import { changeLabel, dropLabel } from "./definition-change.ts";
import { labelCreated } from "./events.ts";
import * as store from "./store.ts";

export const listWorkspaceLabels = implementList(
  contract.listWorkspaceLabels,
  workspace("work:read"),
  async (tx, { query: { purpose }, page }) => {
    const [native, found] = await Promise.all([store.isNative(tx), store.listWorkspaceLabels(tx, purpose, page)]);
    if (native && purpose !== "task")
      refuseAt(
        "/query/purpose",
        "invalid_request",
        "must be task with a native token",
        purpose ? "not_allowed" : "required",
      );
    return found;
  },
);

export const listProjectLabels = implementList(
  contract.listProjectLabels,
  insideProject("work:read"),
  (tx, { params, query, page }) => store.listProjectLabels(tx, params.project_id, query, page),
);

type Wanted = Omit<store.NewLabel, "id" | "workspaceId" | "actorId" | "projectId">;
async function create(context: Context, target: InProject, projectId: string | null, body: Wanted) {
  const { tx, member, record } = context;
  const id = newId();
  const { workspaceId, actorId } = member;
  const row = await store.createLabel(tx, { workspaceId, actorId, id, projectId, ...body });
  if (!row) return refuse("limit_reached");
  record(labelCreated({ kind: "label", id, projectId }, { name: body.name }));
  return render(row, labelCapabilities(context, target));
}

export const createWorkspaceLabel = implement(
  contract.createWorkspaceLabel,
  labelledWorkspace(),
  (context, { target, body }) => create(context, target, null, body),
);

/** Locks the Project, so that concurrent creations count each other. */
export const createProjectLabel = implement(
  contract.createProjectLabel,
  project("work:write"),
  (context, { target, body }) => create(context, target, target.id, body),
);

export const getLabel = implement(contract.getLabel, label("work:read"), async (context, { target }) =>
  render(target, labelCapabilities(context, target)),
);

export const updateLabel = implement(contract.updateLabel, label("work:manage"), async (context, { target, body }) => {
  const before = JSON.parse(target.json) as Required<typeof body>;
  const changed = differing(body, before);
  if (changed === null) return render(target, labelCapabilities(context, target));
  return render(await changeLabel(context, target, before, changed), labelCapabilities(context, target));
});

export const deleteLabel = implement(contract.deleteLabel, removedLabel("work:manage"), async (context, { target }) =>
  dropLabel(context, target),
);
