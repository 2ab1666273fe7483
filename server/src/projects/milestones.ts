// Milestones: list, create, read, change, delete. Their progress is counted from their Tasks when it is read.
import * as contract from "@svc/contract/projects/milestones.ts";
import { differing } from "../database/sql.ts";
import { implement, implementList } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { newId } from "../wire/ids.ts";
import { refuse, refuseAt } from "../wire/problem.ts";
import { insideProject, project } from "./access.ts";
import { milestoneCreated, milestoneDeleted, milestoneStageChanged, milestoneUpdated } from "./events.ts";
import { milestone, milestoneByCode, milestoneCapabilities, readMilestone } from "./milestone-access.ts";
import * as store from "./milestone-store.ts";
import { turned } from "./rules.ts";

export const listMilestones = implementList(
  contract.listMilestones,
  insideProject("work:read"),
  (tx, { params, query, page }) => store.listMilestones(tx, params.project_id, query.stage_id, page),
);

const refuseStage = (): never =>
  refuseAt("/body/stage_id", "invalid_reference", "must be a stage of the Milestone lifecycle");

/** The Project is locked: its Milestones are numbered one after the other, and it is not closed meanwhile. */
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
    const { tx, member, record } = context;
    const before = JSON.parse(target.json) as Required<typeof body>;
    const changed = differing(body, before);
    if (changed === null) return render(await readMilestone(tx, target.id), milestoneCapabilities(context, target));
    const row = await store.updateMilestone(tx, member.workspaceId, target.id, changed);
    if (!row) return refuseStage();
    const subject = { kind: "milestone", id: target.id, projectId: target.project_id };
    const { stage_id, ...others } = changed;
    if (stage_id !== undefined) record(milestoneStageChanged(subject, { from: before.stage_id, to: stage_id }));
    if (Object.keys(others).length > 0) record(milestoneUpdated(subject, turned(before, others, target.revision)));
    return render(row, milestoneCapabilities(context, target));
  },
);

export const deleteMilestone = implement(
  contract.deleteMilestone,
  milestone("work:manage"),
  async ({ tx, member, principal, commandId, record, enqueue }, { target }) => {
    const { workspaceId, actorId } = member;
    const author = { actorId, userId: principal.userId, source: principal.kind, commandId };
    const left = await store.deleteMilestone(tx, workspaceId, target.id, author);
    if (left) enqueue("empty_milestone", { workspace_id: workspaceId, milestone_id: target.id, author });
    record(milestoneDeleted({ kind: "milestone", id: target.id, projectId: target.project_id }));
  },
);
