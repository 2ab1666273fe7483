// Inverses of changes to Statuses and project states: name, color, order, creation and deletion. Changes that move work
// along (another category or stage, archiving with a replacement) cannot be undone.
import {
  absentStep,
  type StepTarget,
  stepOf,
  type Workflow,
  workflows,
} from "../../../planning/projects/workflow/step-access.ts";
import {
  dressStep,
  placeStep,
  removeStep,
  requireRemovable,
  returnStep,
} from "../../../planning/projects/workflow/step-change.ts";
import { neighboursOf, type RequestedStep, roomFor } from "../../../planning/projects/workflow/step-store.ts";
import { settle } from "../../../platform/kernel/context.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { type Fault, refuse } from "../../../platform/wire/problem.ts";
import {
  conflict,
  each,
  hindered,
  type Inverse,
  later,
  movedOn,
  type OrderedEffect,
  reach,
  requireNone,
  withoutHindrance,
} from "../conflict.ts";
import { type FieldValues, undoFields } from "./field-inverse.ts";

type Step = FieldValues & {
  id: string;
  name: string;
  stage_id: string;
  project_id: string | null;
  archived_at: string | null;
};

function inverses(workflow: Workflow): [string, Inverse][] {
  const { noun, param } = workflow;
  const reachStep = (context: Context, done: OrderedEffect, change: boolean): Promise<StepTarget> =>
    reach(context, done, stepOf(workflow), { [param]: done.id }, change);
  const archived = (done: OrderedEffect) => hindered(done, "", "status_archived", "is archived");
  async function nameFaults(context: Context, done: OrderedEffect, wanted: RequestedStep, anew: boolean) {
    const { tx, member } = context;
    const { taken, full, stageless } = await roomFor(tx, workflow, member.workspaceId, wanted);
    const faults: (Fault | false)[] = [
      taken && hindered(done, "name", "name_taken", "is the name of another one"),
      anew && full && hindered(done, "", "limit_reached", "there are as many as there can be"),
      stageless && hindered(done, "stage_id", "invalid_reference", "does not exist any more"),
    ];
    return faults.filter((fault) => fault !== false);
  }
  return [
    [
      `${noun}.updated`,
      undoFields<StepTarget>({
        access: stepOf(workflow),
        param,
        fields: (target) => ({ ...JSON.parse(target.json), archived: target.archived }),
        final: ({ made }) => "stage_id" in made,
        hindrances: async (context, done, { name }) =>
          name === undefined
            ? []
            : nameFaults(
                context,
                done,
                { id: done.id, name: name as string, stage_id: null, project_id: done.project_id },
                false,
              ),
        write: (context, target, _before, was) => dressStep(workflow, context, target, was),
      }),
    ],
    [
      `${noun}.moved`,
      each(async (context, done, change) => {
        const { tx, member } = context;
        const { from, to } = done.payload as { from?: string | null; to: string | null };
        // Older events did not record the former position.
        if (from === undefined) return refuse("not_undoable");
        const [target, stands] = await settle([
          reachStep(context, done, change),
          neighboursOf(tx, workflow, member.workspaceId, done, from),
        ]);
        if (target.archived) conflict([archived(done)]);
        if (stands?.before !== to) conflict([movedOn(done, "position")]);
        if (!stands?.usable)
          conflict([hindered(done, "position", "invalid_reference", "stood behind one that is not there any more")]);
        return () => placeStep(workflow, context, target, to, from);
      }),
    ],
    [
      `${noun}.created`,
      each(async (context, done, change) => {
        const target = await reachStep(context, done, change);
        if (target.archived) conflict([archived(done)]);
        if (JSON.parse(target.json).name !== done.payload.name) conflict([movedOn(done, "name")]);
        await withoutHindrance(done, () => requireRemovable(workflow, context, target));
        return () => removeStep(workflow, context, target);
      }),
    ],
    [
      `${noun}.deleted`,
      each(async (context, done, change) => {
        const { step } = done.payload as { step?: Step };
        if (step === undefined) return refuse("not_undoable");
        const { id, stage_id, project_id } = step;
        const params = { id, project_id: project_id ?? "" };
        const name = step.archived_at === null ? step.name : null;
        const [, faults] = await settle([
          reach(context, done, absentStep(workflow), params, change),
          later(nameFaults(context, done, { id, name, stage_id, project_id }, step.archived_at === null)),
        ]);
        requireNone(faults());
        return () => returnStep(workflow, context, step);
      }),
    ],
  ];
}

export const workflowInverses = Object.values(workflows).flatMap(inverses);
