// Inverses of changes to Projects, their members and their Milestones. A deletion is undone while the resource is still
// complete: a Project until it is erased, a Milestone if it had no Tasks. A creation is undone while the resource is
// empty.
import { type ChangedProject, changedProject, deletedProject } from "../../../planning/projects/access.ts";
import { changeProject, dropProject, reviveProject, toldOf, unpublish } from "../../../planning/projects/change.ts";
import { projectMember } from "../../../planning/projects/member-access.ts";
import { addMember, changeRole, removeMember } from "../../../planning/projects/member-change.ts";
import { deletedMilestone, milestone } from "../../../planning/projects/milestone/milestone-access.ts";
import {
  changeMilestone,
  dropEmptyMilestone,
  reviveMilestone,
} from "../../../planning/projects/milestone/milestone-change.ts";
import { hasTasks, usableStage } from "../../../planning/projects/milestone/milestone-store.ts";
import { ordered, placeProject } from "../../../planning/projects/move-change.ts";
import type { ProjectRole } from "../../../planning/projects/rules.ts";
import { holdsWork, isUsableState, neighboursOf } from "../../../planning/projects/store.ts";
import { settle } from "../../../platform/kernel/context.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { conflict, each, hindered, type Inverse, movedOn, type OrderedEffect, reach } from "../conflict.ts";
import { undoFields } from "./field-inverse.ts";

const gone = (done: OrderedEffect, field: string) => [
  hindered(done, field, "invalid_reference", "cannot be used any more"),
];

export const undoProjectChanges: Inverse = undoFields<ChangedProject>({
  access: changedProject("work:manage"),
  param: "project_id",
  fields: ({ json }) => toldOf(JSON.parse(json)),
  // The public name is gone: the Project would be published under another one.
  final: ({ was }) => was.published === true,
  async hindrances({ tx, member }, done, { state_id }) {
    const usable = !state_id || (await isUsableState(tx, member.workspaceId, state_id as string));
    return usable ? [] : gone(done, "state_id");
  },
  write(context, target, before, { published, ...was }) {
    if (published === false) unpublish(context, target.id);
    const { public_id } = target;
    const changed = published === false ? { ...was, public_id: null } : was;
    context.defer(changeProject(context, target, { ...before, public_id }, changed));
  },
});

/** A created Project is deleted again only while it is empty; a restored one is deleted with all that is in it. */
export const undoProjectsCreated: Inverse = each(async (context, done, change) => {
  const { tx, member } = context;
  const empty = done.type === "project.created" || done.payload.empty === true;
  const [target, used] = await settle([
    reach(context, done, changedProject("work:manage"), { project_id: done.id }, change),
    empty && holdsWork(tx, member.workspaceId, done.id),
  ]);
  if (used) conflict([movedOn(done)]);
  return () => dropProject(context, target, empty);
});
export const undoProjectsDeleted: Inverse = each(async (context, done, change) => {
  const target = await reach(context, done, deletedProject, { project_id: done.id }, change);
  return () => reviveProject(context, target, done.payload.empty === true);
});
export const undoProjectMoves: Inverse = each(async (context, done, change) => {
  const { tx, member } = context;
  const { from, to } = done.payload as { from?: string | null; to: string | null };
  // Older events did not record the former position.
  if (from === undefined) return refuse("not_undoable");
  const [target, stands] = await settle([
    reach(context, done, ordered, { project_id: done.id }, change),
    neighboursOf(tx, member.workspaceId, done.id, from),
  ]);
  if (stands?.before !== to) conflict([movedOn(done, "position")]);
  if (!stands?.usable)
    conflict([hindered(done, "position", "invalid_reference", "stood behind one that is not there any more")]);
  return () => placeProject(context, target, to, from);
});

const reachMember = (context: Context, done: OrderedEffect, change: boolean) =>
  reach(context, done, projectMember(true), { project_id: done.project_id as string, actor_id: done.id }, change);
export const undoMembersAdded: Inverse = each(async (context, done, change) => {
  const target = await reachMember(context, done, change);
  if (target.role !== done.payload.role) conflict([movedOn(done, "role")]);
  return () => removeMember(context, target);
});
export const undoMembersChanged: Inverse = each(async (context, done, change) => {
  // Older events did not record the former role.
  if (done.payload.from === undefined) return refuse("not_undoable");
  const target = await reachMember(context, done, change);
  if (target.role !== done.payload.to) conflict([movedOn(done, "role")]);
  if (target.project_archived) conflict([hindered(done, "", "project_archived", "its Project is archived")]);
  return () => context.defer(changeRole(context, target, done.payload.from as ProjectRole));
});
export const undoMembersRemoved: Inverse = each(async (context, done, change) => {
  const target = await reachMember(context, done, change);
  if (target.role !== null) conflict([movedOn(done, "role")]);
  if (target.project_archived) conflict([hindered(done, "", "project_archived", "its Project is archived")]);
  if (!target.active)
    conflict([hindered(done, "actor_id", "invalid_reference", "is no active member of the Workspace")]);
  return () => context.defer(addMember(context, target, done.payload.role as ProjectRole));
});

export const undoMilestoneChanges: Inverse = undoFields({
  access: milestone("work:write"),
  param: "milestone_id",
  fields: ({ json }) => JSON.parse(json),
  single: { "milestone.stage_changed": "stage_id" },
  async hindrances({ tx, member }, done, { stage_id }) {
    const usable = !stage_id || (await usableStage(tx, member.workspaceId, stage_id as string));
    return usable ? [] : gone(done, "stage_id");
  },
  write: (context, target, before, was) => context.defer(changeMilestone(context, target, before, was)),
});

export const undoMilestonesCreated: Inverse = each(async (context, done, change) => {
  const { tx, member } = context;
  const [target, used] = await settle([
    reach(context, done, milestone("work:write"), { milestone_id: done.id }, change),
    hasTasks(tx, member.workspaceId, done.id),
  ]);
  if (used) conflict([movedOn(done)]);
  return () => dropEmptyMilestone(context, target);
});
export const undoMilestonesDeleted: Inverse = each(async (context, done, change) => {
  // No receipt records the Tasks that were in the Milestone.
  if (done.payload.emptied !== false) refuse("not_undoable");
  const target = await reach(context, done, deletedMilestone, { milestone_id: done.id }, change);
  return () => reviveMilestone(context, target);
});
