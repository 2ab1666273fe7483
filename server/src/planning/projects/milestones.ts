// Milestones: list, create, read, change, delete. Their progress is counted from their Tasks on each read.
import * as contract from "@svc/contract/planning/projects/milestones.ts";
import { differing } from "../../platform/database/sql.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { insideProject, project } from "./access.ts";
import { milestoneCreated } from "./events.ts";
import { milestone, milestoneByCode, milestoneCapabilities, readMilestone } from "./milestone/milestone-access.ts";
import { changeMilestone, dropMilestone } from "./milestone/milestone-change.ts";
import * as store from "./milestone/milestone-store.ts";

export const listMilestones = implementList(
  contract.listMilestones,
  insideProject("work:read"),
  (tx, { params, query, page }) => store.listMilestones(tx, params.project_id, query.stage_id, page),
);

const refuseStage = (): never =>
  refuseAt("/body/stage_id", "invalid_reference", "must be a stage of the Milestone lifecycle");

/** Locks the Project, so that Milestone numbers are consecutive and the Project is not closed concurrently. */
export const createMilestone = implement(
  contract.createMilestone,
  project("work:write"),
  async (context, { target, body }) => {
    const { tx, member, record } = context;
    const id = newId();
    const { row, open } = await store.createMilestone(tx, member, { id, projectId: target.id, ...body });
    if (!open) return refuse("project_closed");
    if (!row) return refuseStage();
    record(milestoneCreated({ kind: "milestone", id, projectId: target.id }, { name: body.name }));
    return render(row, milestoneCapabilities(context, target));
  },
);

export const getMilestone = implement(contract.getMilestone, milestone("work:read"), async (context, { target }) =>
  render(target, milestoneCapabilities(context, target)),
);

export const getMilestoneByCode = implement(
  contract.getMilestoneByCode,
  milestoneByCode("work:read"),
  async (context, { target }) => render(target, milestoneCapabilities(context, target)),
);

export const updateMilestone = implement(
  contract.updateMilestone,
  milestone("work:write"),
  async (context, { target, body }) => {
    const before = JSON.parse(target.json) as Required<typeof body>;
    const changed = differing(body, before);
    const capabilities = milestoneCapabilities(context, target);
    if (changed === null) return render(await readMilestone(context.tx, target.id), capabilities);
    const row = await changeMilestone(context, target, before, changed);
    return row ? render(row, capabilities) : refuseStage();
  },
);

export const deleteMilestone = implement(
  contract.deleteMilestone,
  milestone("work:manage"),
  async (context, { target }) => dropMilestone(context, target),
);
