// The stages that Milestones go through: one catalog in a Workspace, read and replaced as a whole.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Category, Color, Id, Name, nullable, object, Revision, resource, single } from "../../types.ts";
import { Behaviors, behaviorsOf } from "./behaviors.ts";

export const MilestoneStage = object({
  id: Id,
  name: Name(60),
  category: Category,
  color: nullable(Color),
  position: Type.Integer(),
  behaviors: Behaviors,
  revision: Revision,
});
export const MilestoneLifecycleFields = object({ ...resource, stages: Type.Array(MilestoneStage) });
export const MilestoneLifecycle = single(MilestoneLifecycleFields);

export const getMilestoneLifecycle = op(
  "GET /workspaces/{workspace_id}/milestone-lifecycle",
  "Read the stages of Milestones",
  { auth: [S], returns: MilestoneLifecycle },
);

const NewStage = object({
  id: Type.Optional(Id),
  name: Name(60),
  category: Category,
  color: Type.Optional(nullable(Color)),
  behaviors: Type.Optional(behaviorsOf("milestone")),
  replaces: Type.Optional(
    Type.Array(Id, { maxItems: 100, description: "Stages that go away and whose Milestones move into this one." }),
  ),
});

export const replaceMilestoneLifecycle = op(
  "PUT /workspaces/{workspace_id}/milestone-lifecycle",
  "Replace the stages of Milestones",
  {
    description:
      "The stages in their new order. One with an id is kept, and is what is sent: " +
      "what is left out gets its default, a behavior the one of the category. One without is new. " +
      "One that is not sent goes away; where Milestones are in it, another stage must name it in `replaces`. " +
      "At most 1,000 Milestones move.",
    auth: [S],
    ifMatch: "required",
    body: object({ stages: Type.Array(NewStage, { minItems: 1, maxItems: 100 }) }),
    example: {
      stages: [
        { name: "Planned", category: "unstarted" },
        { name: "Active", category: "started", color: "blue" },
        { name: "Reached", category: "completed" },
      ],
    },
    returns: MilestoneLifecycle,
    errors: [
      "lifecycle_migration_pending",
      "invalid_reference",
      "name_taken",
      "last_status",
      "milestone_stage_in_use",
      "lifecycle_migration_too_large",
    ],
  },
);
